import ChatelaineMemory
import ChatelaineModel
import Foundation
import ItemStore
import Synchronization
import TestSupport
import Testing

@testable import FileKeychains
@testable import StoreEngine

/// Keychains in a temporary folder, with securityd's own files about them.
final class KeychainFixture: Sendable {
    static let password = "correct horse"

    let folder: TemporaryFolder
    let custodian = FakeCustodian()
    let events = Mutex<[StoreEvent]>([])

    init() throws {
        folder = try TemporaryFolder()
        for name in ["keychains", "open", "marks"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
    }

    var places: FileKeychainPlaces { places("open") }

    /// The places of another machine, which has never seen these keychains.
    func places(_ name: String) -> FileKeychainPlaces {
        FileKeychainPlaces(stores: "\(folder.path)/\(name)", marks: "\(folder.path)/\(name)-marks")
    }

    func path(_ name: String) -> String { "\(folder.path)/keychains/\(name).keychain-db" }

    func keychain(_ name: String, places: FileKeychainPlaces? = nil) -> FileKeychain {
        FileKeychain(
            path(name), places: places ?? self.places, keys: custodian,
            log: { [self] event in events.withLock { $0.append(event) } })
    }

    /// Makes a new keychain and leaves it unlocked.
    func made(_ name: String) throws -> FileKeychain {
        let keychain = keychain(name)
        try keychain.create(custodian.make(Self.password))
        return keychain
    }

    @discardableResult
    func unlock(_ keychain: FileKeychain, _ password: String = password) throws -> FileKeychain.Unlocking {
        try keychain.unlock(custodian.open(password))
    }

    @discardableResult
    func lock(_ keychain: FileKeychain) throws -> Bool { keychain.lock(custodian.forget) }

    /// The names of all files in the folder of the keychains.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/keychains").sorted()
    }

    func ours() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/open").sorted()
    }

    func links(_ name: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path(name))[.referenceCount] as? Int)
    }
}

extension FileKeychain {
    func add(_ service: String, _ account: String, _ secret: String) throws {
        var item = NewItem(itemClass: .genericPassword)
        item.attributes[.service] = .text(service)
        item.attributes[.account] = .text(account)
        item.secret = SecretBytes(secret.utf8)
        let request = try ChangeRequest.sample()
        _ = try again { try store().add(item, group: Self.group, request: request) }
    }

    func add(certificate der: [UInt8], number: Int = 0) throws {
        var item = NewItem(itemClass: .certificate)
        item.attributes[.label] = .text("a certificate")
        item.attributes[.serialNumber] = .data([UInt8(number)])
        item.secret = SecretBytes(der)
        _ = try store().add(item, group: Self.group, request: .sample())
    }

    /// Repeats a request once after damage, as the daemon does.
    private func again<Answer>(_ body: () throws -> Answer) throws -> Answer {
        do { return try body() } catch let error as KeychainError where error.cause == .damage { return try body() }
    }

    func secret(_ service: String, _ account: String) throws -> String? {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.service] = .text(service)
        query.attributes[.account] = .text(account)
        query.returns = [.data]
        return try again { try store().find(query, groups: [Self.group]) }.first?.secret.map { secret in
            secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The accounts of a service, as the locked file shows them without verification.
    func accountsUnverified(_ service: String, _ custodian: FakeCustodian) throws -> [String] {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.service] = .text(service)
        query.returns = [.attributes]
        query.limit = .all
        let found = try findUnverified(query, index: custodian.index)
        return found.compactMap { item in
            if case .text(let account)? = item.attributes[.account] { account } else { nil }
        }
    }
}

extension ChangeRequest {
    /// A request that nobody repeats.
    static func sample() throws -> ChangeRequest {
        try ChangeRequest(
            name: ItemIdentifier().bytes + ItemIdentifier().bytes, digest: Array(repeating: 0, count: 32))
    }
}
