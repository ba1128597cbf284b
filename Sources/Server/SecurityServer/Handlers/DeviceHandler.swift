import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Carries out requests about the passcode and the keys that it protects.
enum DeviceHandler {
    static let routes: [RequestRoute] = [.init(carryOut), .init(descriptors: present), .init(passcode: settings)]

    /// The number under which the tries of unidentified programs are counted.
    private static let unknownProgram = Bytes16(repeating: 0)

    /// Carries out commands that any program of the user may send.
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
            try lock(services)
            services.log.debug("the keychain was locked", ["pid": "\(context.slot.pid)"])
        }
        return DeviceReport(try services.enclave.passcodeReport(for: .program(program), in: store))
    }

    /// Locks every open keychain of either kind.
    ///
    /// On return the keys are gone from both daemons, except those of operations under way. Files of keychains may
    /// still be completed after an event.
    ///
    /// - Parameter event: the event that locks; file keychains that do not lock with it stay open. Nil where a caller
    ///   asked for it.
    /// - Throws: why one keychain did not lock; all others have.
    static func lock(_ services: Services, because event: SystemEvent? = nil) throws(KeychainError) {
        // The open questions are for keys that are now locked.
        defer { services.inquiries.close() }
        services.loginKeychain.noteLock()
        var failure: KeychainError?
        for slot in services.keychains.all {
            guard let store = slot.storeWithKeys else { continue }
            do throws(KeychainError) { try services.enclave.lock(store) } catch { failure = error }
        }
        do throws(KeychainError) {
            if let event {
                try services.fileKeychains.lock(because: event)
            } else {
                try services.fileKeychains.lockAll()
            }
        } catch { failure = error }
        if let failure { throw failure }
    }

    /// Locks because of a system event.
    ///
    /// A key custodian that does not lock is ended, and its keys with it.
    static func lock(because event: SystemEvent, _ services: Services) {
        do throws(KeychainError) {
            try lock(services, because: event)
            guard services.enclave.hadPasscode else { return }
            services.log.notice("the keychain was locked", ["because": event.words])
        } catch {
            services.enclave.end()
            services.log.error(
                "the keychain did not lock, and the key custodian was ended",
                ["because": event.words, "reason": error.reason])
        }
    }

    /// Reads or sets the settings of the user.
    static func settings(
        _ command: SettingsCommand, _ passcode: GivenPasscode?, _ context: inout RequestContext
    ) throws(KeychainError) -> DeviceSettings {
        let services = context.services
        guard case .setIdleTimeout(let seconds) = command else { return try services.settings.read() }
        try context.requirePasscode(passcode, for: "changes when the keychain locks", command: "security settings")
        guard seconds <= DeviceSettings.longestIdleTimeout else {
            throw KeychainError(
                .param, "an idle time-out has \(DeviceSettings.longestIdleTimeout) seconds at the most; 0 is none")
        }
        var settings = DeviceSettings()
        settings.idleTimeout = seconds
        try services.settings.write(settings)
        services.events?.setIdleTimeout(seconds: Int32(seconds))
        services.log.notice("the idle time-out was set", ["seconds": "\(seconds)", "pid": "\(context.slot.pid)"])
        return settings
    }

    /// Deletes items that were sealed under keys that are destroyed.
    ///
    /// The items are unreadable already. Where the deletion fails, the next request that meets such an item deletes it,
    /// or the upkeep of the store does.
    private static func purge(_ services: Services) {
        do throws(KeychainError) {
            let count = try services.keychains.default.keychain().store.purgeDestroyed()
            if count > 0 { services.changes.noteEverything() }
        } catch {
            services.log.error("items that needed the passcode are not deleted yet", ["reason": error.reason])
        }
    }

    /// Has the key custodian carry out a command that needs a passcode.
    static func present(
        _ command: PasscodeCommand, _ passcode: GivenPasscode, _ context: inout RequestContext
    ) throws(KeychainError) -> DeviceReport {
        let services = context.services
        let (origin, store) = (passcode.origin, passcode.store)
        let request: any EnclavePasscodeRequest =
            switch command {
            case .unlock, .logIn: UnlockStore(origin, in: store)
            case .set: SetPasscode(store)
            case .change: ChangePasscode(origin, in: store)
            case .remove: RemovePasscode(origin, in: store)
            case .newKeys: MakeNewKeys(origin, in: store)
            }
        var report = try services.enclave.call(request, passcodes: passcode.files)
        if request is SetPasscode {
            // The first passcode is nobody's try, but the report covers the calling program.
            report = try services.enclave.passcodeReport(for: origin, in: store)
        }
        switch report.outcome {
        case .done:
            services.log.notice("a passcode was right", ["for": command.verb])
            // Before the passcode is offered to the login keychain, which may have another password from now on.
            if [.set, .change, .remove].contains(command) { services.fileKeychains.passcode.forget() }
            if command == .remove { purge(services) }
            confirmPrograms(after: command, passcode, services)
            // Items that former keys have sealed, or that were locked until now, can be sealed anew.
            services.keychains.default.present?.store.noteKeys()
            if [.unlock, .logIn, .change].contains(command) {
                services.loginKeychain.offer(passcode.files, isLogin: command == .logIn, services)
            }
        case .wrong: services.log.warning("a passcode was wrong", ["for": command.verb])
        // A program can cause this line as often as it likes; the other two are rare.
        case .delayed: services.log.debug("a passcode came too early", ["for": command.verb])
        }
        return DeviceReport(report)
    }
}

extension DeviceHandler {
    /// Keeps the decisions that widen access in force when the first passcode is set, and has them reviewed after any
    /// other command.
    ///
    /// Where that fails, the decisions no longer count until somebody confirms them. Under new keys enclaved keeps them
    /// in force by itself.
    private static func confirmPrograms(
        after command: PasscodeCommand, _ passcode: GivenPasscode, _ services: Services
    ) {
        do throws(KeychainError) {
            switch command {
            case .set:
                let new = command.parts.lastIndex(of: .new) ?? 0
                try services.identities.confirmAll(
                    GivenPasscode(origin: passcode.origin, store: passcode.store, files: [passcode.files[new]]))
            case .newKeys, .remove, .change, .unlock, .logIn: try services.identities.review()
            }
        } catch {
            services.log.error("decisions about programs are to be confirmed anew", ["reason": error.reason])
        }
    }
}

extension DeviceReport {
    init(_ report: PasscodeReport) {
        self.init()
        (outcome, state) = (report.outcome, report.state)
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
        case .logIn: "login"
        }
    }
}
