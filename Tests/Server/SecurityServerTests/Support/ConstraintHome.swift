import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import InProcess
import Sealing
import ServerIPC
import StoreEngine
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import CallerIdentity
@testable import ChatelaineIPC
@testable import ItemStore
@testable import SecurityServer

/// A user in front of dialogs, who types what a test says and passes on the custodian's verdict.
final class TypingPerson: PersonAsking {
    /// The input of the next dialogs, in order. After the last one the user cancels.
    let answers = Mutex<[String]>([])
    /// Whether the dialog lies, and answers without any input.
    let lies = Atomic(false)
    let questions = Mutex<[PersonQuestion]>([])
    /// Runs when the dialog is shown, before any input.
    let before = Mutex<@Sendable () throws -> Void>({})

    var count: Int { questions.withLock { $0.count } }

    func ask(_ inquiry: PersonInquiry) -> Bool {
        questions.withLock { $0.append(inquiry.question) }
        // Each dialog has its own thread, as it has its own process in the daemon.
        return Worker.start { [self] in inquiry.answer(answer(inquiry.question)) }
    }

    private func answer(_ question: PersonQuestion) -> PersonAnswer {
        do {
            try before.withLock { $0 }()
            if lies.load(ordering: .relaxed) { return .allowed }
            guard let typed = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return .cancelled }
            let pipe = try TestPipe(Array(typed.utf8))
            switch question.proof {
            case .consent: return .allowed
            case .passcode(taking: nil, _), .keychainAccess, .unlock: return .cancelled
            case .finger(let matching):
                return try matching.match(until: MatchCancellation()).outcome == .matched ? .allowed : .denied
            case .passcode(let taking?, _), .password(_, let taking), .admission(let taking):
                guard case .right = try taking.check(pipe.reading) else { return .denied }
                return .allowed
            }
        } catch { return .cancelled }
    }
}

/// The daemon's handling of requests about a constrained row, with a real enclaved.
final class ConstraintHome: Sendable {
    static let passcode = "correct horse"

    let folder: TemporaryFolder
    let enclave: EnclaveConnection
    let keys: EnclaveKeySource
    let services: Services
    let person = TypingPerson()
    let store: StoreIdentifier

    init(hasPasscode: Bool = true, machine: MachineKeychains? = nil) throws {
        folder = try TemporaryFolder()
        let path = folder.path
        let log = Log(file: path + "/log")
        let enclave = EnclaveConnection(launcher: CustodianProcesses(stateFolder: path + "/enclave"), log: log)
        let keys = EnclaveKeySource(enclave: enclave)
        (self.enclave, self.keys) = (enclave, keys)
        let registry = KeychainRegistry { name in
            var surroundings = KeychainSlot.Surroundings(log: log)
            surroundings.prepare = { () throws(KeychainError) in
                for name in ["/stores", "/marks"] { try RuntimeFolder(path + name).prepare() }
            }
            return KeychainSlot(
                name, folder: "\(path)/stores/\(name)", mark: "\(path)/marks/\(name).mark", keys: keys, surroundings)
        }
        let environment = ProcessEnvironment(
            uid: geteuid(), home: path, variable: { $0 == "CHATELAINE_HOME" ? path : nil }, isOwnFolder: { _ in true },
            isSystemMode: { false })
        services = Services(
            deployment: try Deployment.current(environment), dataFolder: try #require(FileIdentity(at: path)),
            user: geteuid(), keychains: registry,
            fileKeychains: .test(in: path, enclave, log, machine: machine), keychainPreferences: .test(in: path, log),
            identities: IdentityService(
                user: geteuid(), stateFolder: path, enclave: enclave, verifier: UnreadableSignatures()),
            trust: .test(log: log), enclave: enclave,
            deciders: [AccessPolicy(), ConstraintDecider(enclave: enclave)], inquiries: Inquiries(person),
            procReader: { _ in preconditionFailure("nobody is looked at") }, confinement: { ([], 0) },
            events: nil, settings: SettingsFile(folder: path), credential: .absent, connections: ConnectionLimiter(),
            changes: ChangeSubscriptions(), closer: DescriptorCloser(),
            intake: Budget(bytes: SessionLimits.bytesInFlight), output: Budget(bytes: SessionLimits.bytesInFlight),
            log: log, refusals: Refusals(log: log), hasMessagePidfd: true, startedBy: .manual, startTime: 0)
        store = try registry.default.keychain().store.identifier
        if hasPasscode { try passcode(SetPasscode(store), Self.passcode) }
    }

    @discardableResult
    func passcode(_ request: some EnclavePasscodeRequest, _ passcode: String) throws -> PasscodeReport {
        let pipe = try TestPipe(Array(passcode.utf8))
        return try enclave.call(request, passcodes: [pipe.reading])
    }

    /// Constraints as `SecAccessControlCreateWithFlags` makes them.
    static func constraints(
        _ constraint: AccessConstraint, delete: AccessConstraint = .always, password: Bool = false
    ) -> AccessConstraints {
        var constraints = AccessConstraints()
        constraints.operations = [.decrypt: constraint, .encrypt: .always, .delete: delete]
        constraints.needsApplicationPassword = password
        return constraints
    }

    /// The wrapped key of a new row with these constraints.
    func row(_ constraints: AccessConstraints, for use: KeyUse? = nil) throws -> WrappedRowKey {
        let context = RowContext(
            store: store, row: ItemIdentifier(), version: 1, itemClass: .genericPassword, accessibility: .whenUnlocked,
            isSynchronizable: false, isTombstone: false, groupDigest: Bytes16(repeating: 3), constraints: constraints)
        let key = try keys.createRowKeys([context], for: use, in: store)[0]
        return WrappedRowKey(classKeyID: key.classKeyID, wrapped: key.wrapped, context: context)
    }

    /// Carries out a request about the row on a thread of its own, as a session does.
    ///
    /// An item is returned if its key was given.
    func begin(
        _ operation: RowOperation, _ row: WrappedRowKey, _ ui: AuthenticationUI = .allow, on connection: TestConnection,
        authentication: ConnectionAuthentication? = nil
    ) -> Work<Void> {
        nonisolated(unsafe) let authentication = authentication
        return Work { [self] in
            var writer = CBORWriter()
            let request = FindItems(KeychainHome.password("ada"))
            request.encode(to: &writer)
            let frame = writer.finishArray()
            let waiting = try frame.withUnsafeBytes { frame in
                var handler = RequestHandler(
                    RequestContext(
                        services: services, slot: connection.slot, channel: connection.server, frame: frame,
                        authentication: authentication
                    ) { () throws(KeychainError) -> Caller in WaitingHome.caller() })
                return try handler.begin(request) { [self] _, context throws(KeychainError) in
                    try carryOut(operation, row, ui, &context)
                }
            }
            try waiting?.finish(with: Peer(recheck: {}, inspect: { _, _ in }))
        }
    }

    /// Does with the row what `Keychain` and `ItemStore` do.
    private func carryOut(
        _ operation: RowOperation, _ row: WrappedRowKey, _ ui: AuthenticationUI, _ context: inout RequestContext
    ) throws(KeychainError) -> [FoundItem] {
        let (opened, caller) = (try context.opened, try context.caller)
        let place = Authorisation.Place(name: .default, opened: opened, deciders: context.services.deciders)
        var attributes = AttributeSet()
        attributes[.account] = .text("ada")
        let found = OpenedRow(
            row: 1, context: row.context, secretVersion: 1, encodedAttributes: EncodedAttributes(attributes),
            secret: SealedSecret(classKey: Int64(row.classKeyID), rowKey: row.wrapped, sealed: []))
        let access = RowAccess(row: found, store: opened.store)
        guard try context.access.authorise(access, operation, for: caller, in: place, ui) else { return [] }
        var item = FoundItem(found, secret: nil)
        guard operation == .readSecret else { return [item] }
        let use = context.access.use(.decrypt, by: caller, in: place)
        _ = try keys.openRowKeys([row], for: use, in: store)[0].get()
        item.secret = SecretBytes(Array("opened".utf8))
        return [item]
    }

    /// The reply to a request about the row.
    func answer(
        _ operation: RowOperation, _ row: WrappedRowKey, _ ui: AuthenticationUI = .allow,
        on connection: TestConnection, authentication: ConnectionAuthentication? = nil
    ) throws -> (status: Status, secret: String?) {
        let work = begin(operation, row, ui, on: connection, authentication: authentication)
        let reply = try connection.reply()
        try work.value()
        return reply
    }

    /// The reply to a search for the row's secret.
    func answer(
        _ row: WrappedRowKey, _ ui: AuthenticationUI = .allow, on connection: TestConnection,
        authentication: ConnectionAuthentication? = nil
    ) throws -> (status: Status, secret: String?) {
        try answer(.readSecret, row, ui, on: connection, authentication: authentication)
    }
}
