import Foundation
import Testing

@testable import Security

/// Tests of keychain objects without a daemon.
@Suite struct SecKeychainTests {
    private func opened(_ name: String) throws -> SecKeychain {
        var keychain: SecKeychain?
        #expect(SecKeychainOpen(name, &keychain) == errSecSuccess)
        return try #require(keychain)
    }

    @Test func oneObjectForEachPath() throws {
        let one = try opened("/opt/one.keychain")
        #expect(try one === opened("/opt/./one.keychain") && one !== opened("/opt/two.keychain"))
        #expect(CFGetTypeID(one) == SecKeychainGetTypeID() && one.description == "<SecKeychain: /opt/one.keychain>")
    }

    /// An object without holders is forgotten, and made again for a thread that asks at the same time.
    @Test func objectsComeAndGoOnAnyThread() async throws {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<500).allSatisfy { _ in
                        var (one, same): (SecKeychain?, SecKeychain?)
                        SecKeychainOpen("/opt/threads.keychain", &one)
                        SecKeychainOpen("/opt/threads.keychain", &same)
                        return one != nil && one === same
                    }
                }
            }
            for await isOne in group { #expect(isOne) }
        }
    }

    @Test func aKeychainHasNoAccessObject() throws {
        var (keychain, access): (SecKeychain?, SecAccess?)
        #expect(SecKeychainOpen("a", &keychain) == errSecSuccess)
        #expect(SecKeychainCopyAccess(keychain, &access) == errSecUnimplemented && access == nil)
        #expect(SecAccessCreate("x" as NSString, NSArray(), &access) == errSecSuccess)
        #expect(SecKeychainSetAccess(keychain, try #require(access)) == errSecUnimplemented)
    }

    @Test func pathsThatCanBeNone() {
        var keychain: SecKeychain?
        for path: [CChar] in [[0], [0x2E, 0x2E, 0], [0x2F, -1, 0]] {
            #expect(SecKeychainOpen(path, &keychain) == errSecParam && keychain == nil)
        }
    }

    /// C code passes pointers to this structure and structures that hold it.
    @Test func layoutIsThatOfC() {
        #expect(MemoryLayout<SecKeychainSettings>.stride == 12)
        #expect(MemoryLayout<SecKeychainSettings>.offset(of: \.useLockInterval) == 5)
        #expect(MemoryLayout<SecKeychainSettings>.offset(of: \.lockInterval) == 8)
        #expect(MemoryLayout<DarwinBoolean>.size == 1 && MemoryLayout<DarwinBoolean>.alignment == 1)
        let truths = [DarwinBoolean(true), false, true]
        #expect(truths.map(\.boolValue) == [true, false, true] && truths[0] == truths[2] && "\(truths[1])" == "false")
        #expect(unsafeBitCast(UInt8(7), to: DarwinBoolean.self) == true)
    }
}
