import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Carries out requests about the passcode and the keys that it protects.
enum DeviceHandler {
    /// Whose passcodes are counted of a program that nobody knows.
    private static let unknownProgram = Bytes16(repeating: 0)

    /// What any program of the user may ask for.
    static func carryOut(
        _ command: DeviceCommand, _ context: inout RequestContext
    ) throws(KeychainError) -> DeviceReport {
        let services = context.services
        let store = try context.opened.store.identifier
        let program: Bytes16
        do throws(KeychainError) {
            program = try context.opened.requests.program(of: context.identified().principal)
        } catch { program = unknownProgram }
        if command == .lock {
            try services.enclave.lock(store)
            for slot in services.keychains.all.dropFirst() {
                guard let other = slot.present?.store.identifier else { continue }
                try services.enclave.lock(other)
            }
            services.inquiries.close()
            services.log.debug("the keychain was locked", ["pid": "\(context.slot.pid)"])
        }
        return DeviceReport(try services.enclave.passcodeReport(for: .program(program), in: store))
    }

    /// By whom and where a passcode is to be counted.
    static func asker(_ context: inout RequestContext) throws(KeychainError) -> PasscodeAsker {
        let opened = try context.opened
        return PasscodeAsker(
            origin: .program(try opened.requests.program(of: context.caller.principal)), store: opened.store.identifier)
    }

    /// Deletes what was sealed under keys that are destroyed. They are: where it fails, whoever meets such an item does it, or the store's upkeep.
    private static func purge(_ services: Services) {
        do throws(KeychainError) {
            let count = try services.keychains.default.keychain().store.purgeDestroyed()
            if count > 0 { services.changes.noteEverything() }
        } catch {
            services.log.error("items that needed the passcode are not deleted yet", ["reason": error.reason])
        }
    }

    /// Has the key custodian do what needs a passcode.
    ///
    /// - Parameter files: what the passcodes are read from, one for each part of the command.
    static func carryOut(
        _ command: PasscodeCommand, for asker: PasscodeAsker, _ files: [Int32], _ services: Services
    ) throws(KeychainError) -> DeviceReport {
        let (origin, store) = (asker.origin, asker.store)
        let request: EnclaveRequest =
            switch command {
            case .unlock: .unlock(origin, in: store)
            case .set: .setPasscode(in: store)
            case .change: .changePasscode(origin, in: store)
            case .remove: .removePasscode(origin, in: store)
            case .newKeys: .newKeys(origin, in: store)
            }
        var report = try services.enclave.call(request, passcodes: files)
        if case .setPasscode = request {
            // The first one is nobody's try; what the program that asks has is told all the same.
            report = try services.enclave.passcodeReport(for: origin, in: store)
        }
        switch report.outcome {
        case .done:
            services.log.notice("a passcode was right", ["for": command.verb])
            if command == .remove { purge(services) }
            // What former keys have sealed, or was locked until now, can be sealed anew.
            services.keychains.default.present?.store.noteKeys()
        case .wrong: services.log.warning("a passcode was wrong", ["for": command.verb])
        // As often as a program likes, while the other two are few.
        case .delayed: services.log.debug("a passcode came too early", ["for": command.verb])
        }
        return DeviceReport(report)
    }
}

extension DeviceReport {
    init(_ report: PasscodeReport) {
        self.init()
        outcome =
            switch report.outcome {
            case .done: .done
            case .wrong: .wrong
            case .delayed: .delayed
            }
        state =
            switch report.state {
            case .beforeFirstUnlock: .beforeFirstUnlock
            case .unlocked: .unlocked
            case .locked: .locked
            }
        hasPasscode = report.hasPasscode
        isProtected = report.hasPasscode && report.supersededKeys.isEmpty
        (failures, delay) = (report.failures, report.delay)
        (memory, passes) = (report.memory, report.passes)
    }
}

extension PasscodeCommand {
    /// For the log.
    fileprivate var verb: String {
        switch self {
        case .unlock: "unlock"
        case .set: "set"
        case .change: "change"
        case .remove: "remove"
        case .newKeys: "new keys"
        }
    }
}
