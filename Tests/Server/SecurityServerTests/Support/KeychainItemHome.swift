import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import GRDBSQLite
import Glibc
import TestSupport
import Testing

@testable import CallerIdentity
@testable import ChatelaineIPC
@testable import SecurityServer

/// Requests about items of file keychains in a daemon without its process, with a real enclaved.
struct KeychainItemHome {
    let home: ConstraintHome
    var services: Services { home.services }

    init(keychains: [String] = ["a"], machine: MachineKeychains? = nil) throws {
        home = try ConstraintHome(hasPasscode: false, machine: machine)
        for name in ["data", "state"] { mkdir("\(home.folder.path)/\(name)", 0o700) }
        for name in keychains { try create(name) }
    }

    // MARK: Keychains

    /// The path of a keychain in the folder. A path stays as it is.
    func path(_ name: String) -> String {
        name.hasPrefix("/") ? name : "\(home.folder.path)/data/keychains/\(name)-db"
    }

    func use<Answer>(
        _ name: String, _ body: (FileKeychainSlot) throws(KeychainError) -> Answer
    ) throws -> Answer {
        try services.fileKeychains.withKeychain(at: try services.fileKeychains.path(path(name)), body)
    }

    static func with<Answer>(_ password: String, _ body: (Int32) throws -> Answer) throws -> Answer {
        let bytes = Array(password.utf8)
        let file = bytes.withUnsafeBytes { chatelaine_sealed_memfd_holding("test", $0.baseAddress, $0.count) }
        defer { close(file) }
        return try body(file)
    }

    func create(_ name: String) throws {
        _ = try Self.with(name) { file in
            try use(name) { (keychain) throws(KeychainError) in try keychain.create(password: file) }
        }
    }

    func unlock(_ name: String) throws {
        let report = try Self.with(name) { file in
            try use(name) { (keychain) throws(KeychainError) in try keychain.unlock(password: file, from: .agent) }
        }
        #expect(report.outcome == .done)
    }

    func lock(_ name: String) throws {
        try use(name) { (keychain) throws(KeychainError) in try keychain.lock() }
    }

    /// Writes to the file of a locked keychain, as another program can.
    func write(_ sql: String, to name: String) throws {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        guard sqlite3_open_v2(path(name), &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
            sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK
        else { throw SystemError("writing to \(name)") }
    }

    // MARK: Requests

    /// The reply to a request.
    ///
    /// Its error has the cause `needsPerson` where a user would be asked.
    func answer<Message: RequestMessage>(
        _ request: Message, as caller: Caller,
        _ carryOut: (Message, inout RequestContext) throws(KeychainError) -> Message.Reply
    ) throws -> Message.Reply {
        var writer = CBORWriter()
        request.encode(to: &writer)
        let connection = try TestConnection()
        return try writer.finishArray().withUnsafeBytes { frame in
            var context = RequestContext(
                services: services, slot: connection.slot, channel: connection.server, frame: frame
            ) { () throws(KeychainError) -> Caller in caller }
            try context.prepare(for: request)
            return try carryOut(request, &context)
        }
    }

    @discardableResult
    func add(
        _ account: String, _ secret: String, to name: String? = "a", as caller: Caller = .program("mail"),
        access: AccessObject? = nil, ui: AuthenticationUI = .fail
    ) throws -> KeychainItem {
        var item = NewItem(itemClass: .genericPassword)
        item.attributes[.service] = .text("service")
        item.attributes[.account] = .text(account)
        item.secret = SecretBytes(Array(secret.utf8))
        item.access = access
        item.authenticationUI = ui
        item.returns = [.attributes, .data]
        return try answer(
            AddKeychainItem(item, to: name.map(path)), as: caller, KeychainItemHandler.add)
    }

    func find(
        _ account: String?, in names: [String] = ["a"], as caller: Caller = .program("mail"),
        returning returns: ReturnTypes = [.data, .attributes], ui: AuthenticationUI = .fail,
        items: [KeychainItemReference]? = nil
    ) throws -> [KeychainItem] {
        var query = Self.query(account, ui)
        query.limit = .all
        query.returns = returns
        return try answer(
            FindKeychainItems(query, in: KeychainScope(paths: names.map(path), items: items)), as: caller,
            KeychainItemHandler.find)
    }

    /// The secrets of items, in their order.
    func secrets(
        _ account: String?, in names: [String] = ["a"], as caller: Caller = .program("mail"),
        ui: AuthenticationUI = .fail
    ) throws -> [String] {
        try find(account, in: names, as: caller, ui: ui).map { item in
            item.item.secret.map { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } } ?? "none"
        }
    }

    func update(
        _ account: String?, _ change: ItemChange, in names: [String] = ["a"], as caller: Caller = .program("mail"),
        ui: AuthenticationUI = .fail
    ) throws {
        _ = try answer(
            UpdateKeychainItems(Self.query(account, ui), change, in: KeychainScope(paths: names.map(path))),
            as: caller, KeychainItemHandler.update)
    }

    func delete(
        _ account: String?, in names: [String] = ["a"], as caller: Caller = .program("mail"), asksPerson: Bool = false,
        ui: AuthenticationUI = .fail
    ) throws {
        _ = try answer(
            DeleteKeychainItems(
                Self.query(account, ui), in: KeychainScope(paths: names.map(path)), asksPerson: asksPerson),
            as: caller, KeychainItemHandler.delete)
    }

    func access(of item: KeychainItem, as caller: Caller = .program("mail")) throws -> AccessObject {
        try answer(ReadItemAccess(item.reference, in: item.path, .fail), as: caller, KeychainItemHandler.access)
    }

    func setAccess(
        _ access: AccessObject, of item: KeychainItem, as caller: Caller = .program("mail"),
        ui: AuthenticationUI = .fail
    ) throws {
        _ = try answer(
            SetItemAccess(access, of: item.reference, in: item.path, ui), as: caller, KeychainItemHandler.setAccess)
    }

    func setAccess(_ access: AccessObject, of item: KeychainItem, password: String) throws -> PasscodeOutcome {
        try setAccess([ItemAccess(access, of: item.reference)], in: item.path, password: password)
    }

    func setAccess(_ changes: [ItemAccess], in path: String, password: String) throws -> PasscodeOutcome {
        let request = SetItemAccessWithPassword(changes, in: path)
        return try Self.with(password) { file in
            try answer(request, as: .program("mail")) { (request, context) throws(KeychainError) in
                var given = try GivenKeychainPassword.asked(by: &context)
                given.files = [file]
                // A request has left its keychain by the time its password arrives.
                context.leaveKeychain()
                return try KeychainItemHandler.setAccess(request, given, &context)
            }
        }.outcome
    }

    private static func query(_ account: String?, _ ui: AuthenticationUI) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        if let account { query.attributes[.account] = .text(account) }
        query.authenticationUI = ui
        return query
    }
}

extension Caller {
    /// An unsigned program of the user, identified by its digest.
    static func program(
        _ name: String, digest: UInt8? = nil, assurance: Assurance = .file, state: ApplicationState = .pinned
    ) -> Caller {
        let digest = digest ?? name.utf8.reduce(0) { $0 &* 31 &+ $1 }
        guard let path = CanonicalPath("/home/ada/bin/\(name)") else { preconditionFailure("no path") }
        let identity = Identity(
            principal: Principal(user: geteuid(), application: AccessGroup("pinned:\(path.text)")),
            assurance: assurance, state: state, pid: getpid(), group: 100, executablePath: path, displayName: name,
            hints: [],
            digest: ExecutableDigest([UInt8](repeating: digest, count: ExecutableDigest.byteCount)), ledgerRevision: 1)
        return AccessPolicy.caller(identity, inKeychainOf: geteuid())
    }
}
