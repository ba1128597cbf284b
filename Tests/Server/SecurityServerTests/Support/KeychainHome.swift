import CallerIdentity
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Enclave
import EnclaveProtocol
import FileKeychains
import Glibc
import InProcess
import ItemStore
import Sealing
import StoreEngine
import Synchronization
@testable import ChatelaineSystem
@testable import SystemCalls
import TestSupport

@testable import SecurityServer

/// Keys of a custodian in this process.
///
/// A test can hold up their opening, and the closed stores are recorded.
final class GatedKeys: KeychainKeySource, ForwardingKeys {
    let gate = Gate()
    let closed = Mutex<[StoreIdentifier]>([])
    private let custodian: Enclave
    var keys: CustodianKeys { CustodianKeys(custodian) }

    init(_ custodian: Enclave) { self.custodian = custodian }

    func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys {
        gate.pass()
        return try keys.openStore(store, isEmpty: isEmpty)
    }

    func closeStore(_ store: StoreIdentifier) {
        closed.withLock { $0.append(store) }
        _ = custodian.answer(CloseStore(store))
    }
}

/// Keychains of a test, as the daemon has them, with one custodian in this process.
final class KeychainHome: Sendable {
    let folder: TemporaryFolder
    let registry: KeychainRegistry
    let log: Log
    private let box: Box
    /// Whether this process may still write to the folders.
    let isInPlace = Atomic(true)
    /// Whether its home was moved.
    let isMoved = Atomic(false)
    /// The number of times that a displacement was reported.
    let displacements = Atomic(0)
    static let group: AccessGroup = "path:/usr/bin/true"

    init() throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        log = Log(file: folder.path + "/log")
        let box = Box()
        let custodian = Enclave(stateFolder: folder.path + "/enclave")
        registry = KeychainRegistry { [log] name in
            var surroundings = KeychainSlot.Surroundings(log: log)
            surroundings.isInPlace = { box.home?.isInPlace.load(ordering: .relaxed) ?? true }
            surroundings.isMoved = { box.home?.isMoved.load(ordering: .relaxed) ?? false }
            surroundings.whenDisplaced = { box.home?.displacements.add(1, ordering: .relaxed) }
            surroundings.prepare = { () throws(KeychainError) in
                for name in ["/stores", "/marks"] { try RuntimeFolder(folder.path + name).prepare() }
            }
            let keys = GatedKeys(custodian)
            box.keys.withLock { $0[name] = keys }
            return KeychainSlot(
                name, folder: "\(folder.path)/stores/\(name)", mark: "\(folder.path)/marks/\(name).mark", keys: keys,
                surroundings)
        }
        self.box = box
        box.home = self
    }

    /// The part of the home that the factory uses, which exists before the home.
    private final class Box: @unchecked Sendable {
        // `@unchecked Sendable`: the home is set once, before anything is opened.
        weak var home: KeychainHome?
        let keys = Mutex<[KeychainName: GatedKeys]>([:])
    }

    func slot(_ name: KeychainName) throws -> KeychainSlot { try registry.slot(name) }

    func keys(of name: KeychainName) throws -> GatedKeys {
        _ = try slot(name)
        return try box.keys.withLock { keys in
            guard let keys = keys[name] else { throw SystemError("there is no keychain \(name)") }
            return keys
        }
    }

    /// The folder of a keychain's items.
    func store(of name: KeychainName) -> String { "\(folder.path)/stores/\(name)" }

    func add(_ account: String, _ secret: String, to name: KeychainName) throws {
        _ = try slot(name).keychain().store.add(
            Self.item(account, secret), group: Self.group, request: .random())
    }

    /// The secret of an account, or nil where there is none.
    func secret(of account: String, in name: KeychainName) throws -> String? {
        var query = Self.password(account)
        query.returns = .data
        let found = try slot(name).keychainForReading().store.find(query, groups: [Self.group])
        return found.first?.secret.map { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }

    static func password(_ account: String) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.service] = .text("service")
        query.attributes[.account] = .text(account)
        return query
    }

    private static func item(_ account: String, _ secret: String) -> NewItem {
        var item = NewItem(itemClass: .genericPassword)
        item.attributes[.service] = .text("service")
        item.attributes[.account] = .text(account)
        item.secret = SecretBytes(Array(secret.utf8))
        return item
    }
}

extension ChangeRequest {
    static func random() throws(KeychainError) -> ChangeRequest {
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255) } }
        return try ChangeRequest(name: bytes(nameByteCount), digest: bytes(digestByteCount))
    }
}

extension KeychainName {
    static func test(_ text: String) -> KeychainName { KeychainName(text) ?? .default }
}

extension FileKeychainRegistry {
    /// A registry in the test's folders, with the keychains in `keychains`.
    static func test(
        in folder: String, _ enclave: EnclaveConnection, _ log: Log,
        machine: MachineKeychains? = nil, clock: @escaping @Sendable () -> Double = StoreClock.secondsSinceBoot
    ) -> FileKeychainRegistry {
        FileKeychainRegistry(
            folder: folder + "/data/keychains", machine: machine ?? MachineKeychains("\(folder)/machine"),
            places: FileKeychainPlaces(
                stores: folder + "/data/file-keychains", marks: folder + "/state/file-keychains"),
            enclave: enclave, log: log, clock: clock)
    }
}

extension KeychainPreferencesKeeper {
    /// A keeper in a folder of the test, on a machine where root has set nothing.
    static func test(in folder: String, _ log: Log) -> KeychainPreferencesKeeper {
        KeychainPreferencesKeeper(
            KeychainPreferencesFile(folder: folder), folders: KeychainFolders(user: folder + "/data/keychains"),
            machine: MachinePreferences(read: { .missing }), log: log, changed: { _, _ in })
    }
}
