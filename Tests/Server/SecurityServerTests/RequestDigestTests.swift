import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import Testing

@testable import CallerIdentity
@testable import SecurityServer

/// A digest for one use does not count for another.
struct RequestDigestTests {
    private static func keys(_ same: UInt8? = nil) throws -> StoreKeys {
        StoreKeys(keybag: KeybagIdentifier()) { purpose in
            SecretBytes([UInt8](repeating: same ?? 0x40 + UInt8(purpose.rawValue), count: 32))
        }
    }

    private static func digests(_ frame: [UInt8], keys: StoreKeys) throws -> [[UInt8]] {
        let request = try frame.withUnsafeBytes {
            let digests = RequestDigests(keys)
            return try digests.request(
                of: Principal(user: 1000, application: "path:/bin/true"), RequestIdentifier(Bytes16(repeating: 1)),
                digest: digests.contents(of: $0))
        }
        return [request.name, request.digest, request.formerName ?? []]
    }

    /// A program sends bytes that form a list of applications without the last 32.
    ///
    /// The store's digest of them must not authenticate such a file.
    @Test func aDigestOfARequestAuthenticatesNoFile() throws {
        let folder = NSTemporaryDirectory() + "/chatelaine-digest-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/applications"
        for version in [1, 2] as [UInt8] {
            let content: [UInt8] = version == 1 ? [0x80] : [0x82, 0x01, 0x80]
            let frame = Array("CHTLLEDG".utf8) + [version, 0, 0, 0, UInt8(content.count), 0, 0, 0] + content
            func open(_ keys: StoreKeys) throws {
                try Data(frame + Self.digests(frame, keys: keys)[1]).write(to: URL(fileURLWithPath: file))
                _ = try ApplicationLedger(folder: folder, key: keys[.applications], formerKey: keys[.record])
            }
            // With one key for all uses, the forged list would be accepted.
            #expect(throws: Never.self) { try open(try Self.keys(7)) }
            #expect(throws: KeychainError(.decode, "")) { try open(try Self.keys()) }
        }
    }

    @Test func namesAreOfCallerAndNumber() throws {
        let keys = try Self.keys()
        func name(_ caller: String, _ number: UInt8) throws -> [UInt8] {
            try RequestDigests(keys).request(
                of: Principal(user: 1000, application: AccessGroup(caller)),
                RequestIdentifier(Bytes16(repeating: number)), digest: [UInt8](repeating: 0, count: 32)
            ).name
        }
        let names = [try name("a", 1), try name("a", 2), try name("b", 1), try name("a", 1)]
        #expect(names[0] == names[3])
        #expect(Set(names).count == 3)
        // Two names have nothing in common, not even their beginning.
        for left in names.dropLast() {
            for right in names.dropLast() where right != left { #expect(left.prefix(16) != right.prefix(16)) }
        }
    }

    /// The same bytes as a caller's name, a request and a former name give three digests.
    @Test func usesAreApart() throws {
        let all = try Self.digests(Array("path:/bin/true".utf8), keys: Self.keys())
        #expect(Set(all.map { $0.prefix(16) }).count == 3)
    }
}
