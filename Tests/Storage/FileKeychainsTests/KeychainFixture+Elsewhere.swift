import ChatelaineModel
import ChatelaineSystem
import Foundation
import Testing

@testable import FileKeychains
@testable import StoreEngine

/// Keychains outside securityd's own folder: a program opens the file and lends its descriptor.
extension KeychainFixture {
    func elsewhere(_ name: String, places: FileKeychainPlaces? = nil) -> FileKeychain {
        FileKeychain(
            path(name), isElsewhere: true, places: places ?? self.places, keys: custodian,
            log: { [self] event in events.withLock { $0.append(event) } })
    }

    /// - Parameter flags: Flags for `open`, besides those that are always set.
    func lend(_ name: String, _ flags: Int32 = O_RDWR, from folder: String? = nil) throws -> LentFile {
        let place = folder ?? "\(self.folder.path)/keychains"
        let file = Descriptor(open("\(place)/\(name).keychain-db", flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600))
        try #require(file.number >= 0)
        let parent = Descriptor(open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        return try LentFile(file: file, folder: parent, path: path(name))
    }

    /// Makes a new keychain elsewhere and leaves it unlocked.
    func madeElsewhere(_ name: String) throws -> FileKeychain {
        let keychain = elsewhere(name)
        try keychain.create(in: lend(name, O_RDWR | O_CREAT | O_EXCL), custodian.make(Self.password))
        return keychain
    }

    @discardableResult
    func unlock(
        _ keychain: FileKeychain, lent: LentFile, _ password: String = password
    ) throws -> FileKeychain.Unlocking { try keychain.unlock(lending: lent, custodian.open(password)) }

    func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

    func write(_ bytes: Data, over name: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: path(name)))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: bytes)
        try file.close()
    }

    func quarantined() throws -> Int {
        try ours().filter { $0.hasSuffix(".quarantine") }.map {
            try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/open/\($0)").count
        }.reduce(0, +)
    }
}
