import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc
import InProcess
import ItemStore
import ServerIPC
import Synchronization
import TestSupport
import Testing

@testable import CallerIdentity
@testable import ChatelaineIPC
@testable import SecurityServer

/// A decider that asks about every item of one account, for the operations that a test chooses.
final class FakeDecider: AccessDecider {
    static let guarded = "guarded"

    let operations = Mutex<Set<RowOperation>>([.readSecret, .update, .delete])
    /// The decided operations, in order.
    let decisions = Mutex<[RowOperation]>([])
    /// Runs before each decision about a guarded item, with the number of earlier decisions.
    let before = Mutex<(@Sendable (Int) throws(KeychainError) -> Void)?>(nil)

    func decide(
        _ operation: RowOperation, on row: RowAccess, for caller: Caller, in keychain: OpenedKeychain,
        _ authentication: inout RequestAuthentication
    ) throws(KeychainError) -> AccessDecision {
        guard case .text(let account)? = try row.attributes()[.account], account.hasPrefix(Self.guarded) else {
            return .allowed
        }
        let number = decisions.withLock { decisions in
            decisions.append(operation)
            return decisions.count - 1
        }
        if let before = before.withLock({ $0 }) { try before(number) }
        return operations.withLock { $0.contains(operation) } ? .needsPerson("the item “\(account)”") : .allowed
    }
}

/// Somebody who is asked, and answers when a test says so.
final class FakePerson: PersonAsking {
    private let state = Monitor(State())

    private struct State {
        var inquiries: [PersonInquiry] = []
        var isThere = true
    }

    func ask(_ inquiry: PersonInquiry) -> Bool {
        defer { state.broadcast() }
        return state.withLock { state in
            if state.isThere { state.inquiries.append(inquiry) }
            return state.isThere
        }
    }

    func leave() { state.withLock { $0.isThere = false } }

    /// The number of questions so far.
    var count: Int { state.withLock { $0.inquiries.count } }

    /// Returns the question of this number, counted from 1, once it was asked.
    func question(_ number: Int) -> PersonInquiry {
        state.wait { $0.inquiries.count < number ? .nothing() : .answer($0.inquiries[number - 1]) }
    }
}

/// What the stand-ins for a person need not do.
extension PersonAsking {
    func close() {}

    func noteOpening(of keychain: KeychainPath) {}

    func add(to report: inout DaemonReport) {}
}

extension PersonSubject {
    var use: ItemUse? { self as? ItemUse }
}

/// A program's connection, with the daemon's end and the program's end.
final class TestConnection: @unchecked Sendable {
    // `@unchecked Sendable`: each end is used by one thread at a time.
    let slot: ConnectionSlot
    let server: FrameChannel
    private var client: FrameChannel?

    init(pid: Int32 = 1, program: UInt64 = 1, requests: RequestLimiter = RequestLimiter()) throws {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw SystemError("a socket pair") }
        server = FrameChannel(descriptor: pair[0], side: .server)
        client = FrameChannel(descriptor: pair[1])
        slot = ConnectionSlot(socket: pair[0], pid: pid, uid: geteuid(), requests: requests)
        slot.program = Program(device: 1, inode: program)
    }

    func close() { client = nil }

    func send(_ request: some RequestMessage) throws { try client?.send { request.encode(to: &$0) } }

    func notification() throws -> ChangeNotification {
        guard let client else { throw FrameError.closed }
        return try client.withFrame(limit: FrameLimits.notificationBytes) { frame, _ in
            var reader = CBORReader(frame)
            return try ChangeNotification(from: &reader)
        }
    }

    /// The status of the reply and its first secret.
    func reply() throws -> (status: Status, secret: String?) {
        guard let client else { throw FrameError.closed }
        var bytes: [UInt8] = []
        repeat {
            try client.withFrame(limit: FrameLimits.replyBytes, mayContinue: true) { frame, _ in bytes += frame }
        } while client.isContinued
        return try bytes.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            let header = try ReplyHeader(from: &reader)
            let item = reader.isAtEnd ? nil : try FoundItem(from: &reader)
            return (header.status, item?.secret.map { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } })
        }
    }
}

/// A daemon's handling of requests without its process.
///
/// Stores and keys are real, and caller, decider and person belong to the test.
final class WaitingHome: Sendable {
    let home: KeychainHome
    let decider = FakeDecider()
    let person = FakePerson()
    let services: Services
    /// The identity of the caller from now on.
    let caller = Mutex<Result<Caller, KeychainError>>(.failure(KeychainError(.internalComponent, "nobody")))
    /// The error of a check whether the caller has changed.
    let change = Mutex<SessionError?>(nil)

    init(hasPerson: Bool = true) throws {
        home = try KeychainHome()
        let folder = home.folder.path
        let environment = ProcessEnvironment(
            uid: geteuid(), home: folder, variable: { $0 == "CHATELAINE_HOME" ? folder : nil },
            isOwnFolder: { _ in true },
            isSystemMode: { false })
        let enclave = EnclaveConnection(
            launcher: CustodianProcesses(stateFolder: folder + "/none"), log: home.log)
        services = Services(
            deployment: try Deployment.current(environment), dataFolder: try #require(FileIdentity(at: folder)),
            user: geteuid(), keychains: home.registry,
            fileKeychains: .test(in: folder, enclave, home.log), keychainPreferences: .test(in: folder, home.log),
            identities: IdentityService(
                user: geteuid(), stateFolder: folder, enclave: enclave, verifier: UnreadableSignatures()),
            trust: .test(log: home.log), enclave: enclave,
            deciders: [AccessPolicy(), decider], inquiries: Inquiries(hasPerson ? person : nil),
            procReader: { _ in preconditionFailure("nobody is looked at") }, confinement: { ([], 0) },
            events: nil, settings: SettingsFile(folder: folder), credential: .absent, connections: ConnectionLimiter(),
            changes: ChangeSubscriptions(), closer: DescriptorCloser(),
            intake: Budget(bytes: SessionLimits.bytesInFlight),
            output: Budget(bytes: SessionLimits.bytesInFlight), log: home.log, refusals: Refusals(log: home.log),
            hasMessagePidfd: true, startedBy: .manual, startTime: 0)
        caller.withLock { $0 = .success(Self.caller()) }
    }

    static func caller(state: ApplicationState = .rootOnly, groups: [AccessGroup] = [KeychainHome.group]) -> Caller {
        let identity = Identity(
            principal: Principal(user: geteuid(), application: KeychainHome.group), assurance: .file, state: state,
            pid: getpid(), group: 100, executablePath: path, displayName: "test", hints: [], digest: nil,
            ledgerRevision: 0)
        return Caller(identity: identity, groups: groups)
    }

    private static let path: CanonicalPath = {
        guard let path = CanonicalPath("/usr/bin/true") else { preconditionFailure("a path") }
        return path
    }()

    /// Carries out a request on a thread of its own, as a session does.
    ///
    /// - Parameter end: a descriptor that becomes readable when the caller has ended.
    func begin(
        _ request: some RequestMessage, on connection: TestConnection, until end: Int32 = -1
    ) -> Work<Void> {
        Work { [self] in
            var writer = CBORWriter()
            request.encode(to: &writer)
            let frame = writer.finishArray()
            let waiting = try frame.withUnsafeBytes { frame in
                var handler = RequestHandler(
                    RequestContext(services: services, slot: connection.slot, channel: connection.server, frame: frame)
                    {
                        [self] () throws(KeychainError) -> Caller in try caller.withLock { $0 }.get()
                    })
                return try handler.begin(RequestReader(frame))
            }
            try waiting?.finish(with: Peer(recheck: { [self] in try recheck() }, inspect: { _, _ in }, end: end))
        }
    }

    private func recheck() throws { if let change = change.withLock({ $0 }) { throw change } }

    /// The reply to a request that needs no person.
    func answer(_ request: some RequestMessage, on connection: TestConnection) throws -> (
        status: Status, secret: String?
    ) {
        let work = begin(request, on: connection)
        let reply = try connection.reply()
        try work.value()
        return reply
    }

    static func find(_ account: String, ui: AuthenticationUI = .allow) -> FindItems {
        var query = KeychainHome.password(account)
        query.returns = .data
        query.authenticationUI = ui
        return FindItems(query)
    }

    /// Changes an item without a decision, as another program with its own rights does.
    func set(_ account: String, to secret: String) throws {
        var change = ItemChange()
        change.secret = SecretBytes(Array(secret.utf8))
        try home.registry.default.keychain().store.update(
            KeychainHome.password(account), change, groups: [KeychainHome.group], request: .random())
    }
}
