import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import StoreEngine

/// Carries out requests about file keychains as a whole.
///
/// Any program of the user may send them, as on macOS; passwords protect the content.
enum KeychainHandler {
    static let routes: [RequestRoute] = [
        .init(descriptors: present),
        .init(descriptors: reset),
        .init(aside: carryOut),
        .init(aside: state),
        .init(aside: settings),
        .init(aside: setSettings),
        .init(aside: ask),
    ]

    /// Carries out a command that takes a password, or sets one.
    static func present(
        _ command: KeychainPasswordCommand, _ password: GivenKeychainPassword, _ context: inout RequestContext
    ) throws(KeychainError) -> KeychainPasswordReport {
        let services = context.services
        let path = try services.fileKeychains.path(command.path)
        guard password.files.count == command.parts.count, let first = password.files.first,
            let last = password.files.last
        else { throw KeychainError(.internalComponent, "a password was announced and is not here") }
        if case .create = command { try services.keychainPreferences.checkRoom(for: path.text) }
        // Kept also where the request fails for another reason.
        context.access.neededFile = path.text
        let report = try services.fileKeychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
            switch command {
            case .create: try keychain.create(password: first)
            case .unlock: try keychain.unlock(password: first, from: password.origin)
            case .change: try keychain.changePassword(first, to: last, from: password.origin)
            }
        }
        let fields: KeyValuePairs = ["for": command.verb, "keychain": path.text, "pid": "\(context.slot.pid)"]
        // The search list of root's preferences covers the keychains of the machine.
        if case .create = command {
            // Dialogs that would make it close.
            services.fileKeychains.noteOpening(of: path)
            if path.place != .machine { try services.keychainPreferences.note(new: path.text) }
        }
        switch report.outcome {
        case .done: services.log.notice("a keychain was opened by its password", fields)
        case .wrong: services.log.warning("a password of a keychain was wrong", fields)
        // A program can cause this line as often as it likes; the other two are rare.
        case .delayed: services.log.debug("a password of a keychain came too early", fields)
        }
        return KeychainPasswordReport(report)
    }

    static func carryOut(
        _ command: KeychainCommand, _ context: inout RequestContext
    ) throws(KeychainError) -> NoReply {
        let (keychains, log) = (context.services.fileKeychains, context.services.log)
        let pid = "\(context.slot.pid)"
        switch command {
        case .lock(let path):
            let path = try keychains.path(path)
            context.services.loginKeychain.noteLock()
            try keychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
                try keychain.lock()
            }
            log.debug("a keychain was locked", ["keychain": path.text, "pid": pid])
        case .lockAll:
            context.services.loginKeychain.noteLock()
            try keychains.lockAll()
            log.debug("all file keychains were locked", ["pid": pid])
        case .delete(let path):
            let path = try keychains.path(path)
            let preferences = context.services.keychainPreferences
            // A keychain that is open may be known by another path.
            var known = path
            do throws(KeychainError) {
                try keychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
                    known = keychain.path
                    try keychain.delete()
                }
            } catch {
                // A caller that deletes what is missing, or is no keychain any more, wants it out of the search list.
                let isNone = error.status == .invalidKeychain && error.cause != .exchanged
                if isNone || error.cause == .missing { try? preferences.remove(path.text) }
                throw error
            }
            for path in known == path ? [path] : [path, known] { try preferences.note(deleted: path.text) }
            log.notice("a keychain was deleted", ["keychain": path.text, "pid": pid])
        }
        return NoReply()
    }

    static func state(
        _ request: ReadKeychainState, _ context: inout RequestContext
    ) throws(KeychainError) -> KeychainState {
        let keychains = context.services.fileKeychains
        let path = try keychains.path(request.path)
        if path.place == .systemRoots { return .ofSystemRoots }
        return try keychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
            try keychain.state()
        }
    }
}

/// Passwords of a file keychain: whose tries they are, and the descriptors to read them from.
struct GivenKeychainPassword: AnnouncedPasscodes {
    let origin: PasscodeOrigin
    /// The change that is made with the password, if any.
    ///
    /// Once the password arrives, the store that counts changes is out of reach.
    let change: ChangeRequest
    var files: [Int32] = []

    static func asked(by context: inout RequestContext) throws(KeychainError) -> GivenKeychainPassword {
        GivenKeychainPassword(
            origin: .program(try context.opened.requests.program(of: context.caller.principal)),
            change: try context.privateChange())
    }
}

extension KeychainPasswordReport {
    init(_ report: KeychainReport) {
        self.init()
        (outcome, failures, delay) = (report.outcome, report.failures, report.delay)
    }
}

extension KeychainPasswordCommand {
    /// For the log.
    fileprivate var verb: String {
        switch self {
        case .create: "create"
        case .unlock: "unlock"
        case .change: "change"
        }
    }
}
