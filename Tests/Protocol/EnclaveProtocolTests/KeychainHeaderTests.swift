import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import Testing

/// Tests of the header of a file keychain.
@Suite struct KeychainHeaderTests {
    private static let terms = KeychainHeader.Terms(
        store: StoreIdentifier(Bytes16(repeating: 1)), parameters: PasswordParameters(memory: 65_536, passes: 3),
        salt: Bytes16(repeating: 2), indexSalt: Bytes16(repeating: 3))
    private static let header = KeychainHeader(
        terms, check: [UInt8](repeating: 4, count: 32), wrappedKey: [UInt8](repeating: 5, count: 60))

    /// The encoding of `Documentation/formats/file-keychain-header.md`, written pair by pair.
    private static func written(version: UInt64 = 1, check: Int = 32, extra: Bool = false) -> [UInt8] {
        var writer = CBORWriter()
        writer.writeMap(count: extra ? 12 : 11)
        writer.write(0); writer.write("chatelaine keychain header")
        writer.write(1); writer.write(version)
        writer.write(2); writer.write([UInt8](repeating: 1, count: 16))
        writer.write(3); writer.write(65_536)
        writer.write(4); writer.write(3)
        writer.write(5); writer.write(1)
        writer.write(6); writer.write([UInt8](repeating: 2, count: 16))
        writer.write(7); writer.write([UInt8](repeating: 3, count: 16))
        writer.write(8); writer.write([UInt8](repeating: 4, count: check))
        writer.write(9); writer.write([UInt8](repeating: 5, count: 60))
        let checksum = writer.withUnsafeBytes { Checksum.of($0) }
        writer.write(10); writer.write(checksum)
        if extra { writer.write(11); writer.write(0) }
        return writer.finishArray()
    }

    private static func error(_ bytes: [UInt8]) -> KeychainError? {
        do throws(KeychainError) {
            _ = try KeychainHeader(decoding: bytes, path: "/k")
            return nil
        } catch { return error }
    }

    @Test func theFormatIsAsDocumented() throws {
        #expect(Self.header.encoded == Self.written())
        #expect(try KeychainHeader(decoding: Self.written(), path: "/k") == Self.header)
        #expect(Self.header.encoded.count == 204)
    }

    @Test func damageAndNewerVersionsAreTold() {
        let newer = Self.error(Self.written(version: 2))
        #expect(newer?.cause == .newerFormat && newer?.status == .wrongSecVersion)
        #expect(newer?.reason.contains("/k") == true && newer?.reason.contains("update") == true)
        for damaged in [
            Self.written(version: 0), Self.written(check: 31), Self.written(extra: true), [], [0xA0], [0xF6],
            [UInt8](repeating: 0, count: KeychainHeader.maximumBytes + 1), Self.written() + [0],
        ] {
            let error = Self.error(damaged)
            #expect(error?.status == .invalidKeychain && error?.cause == .unavailable)
            #expect(error?.reason.contains("/k") == true)
        }
    }

    /// securityd and enclaved each derive the key from the header alone.
    @Test func theIndexKeyIsOfSaltAndStore() {
        let salt = SecretBytes([UInt8](repeating: 3, count: 16))
        let expected = KeyDerivation.key(
            from: salt, purpose: "chatelaine keychain index", subject: Bytes16(repeating: 1))
        #expect(Self.header.indexKey == expected)
        let other = KeychainHeader.Terms(
            store: StoreIdentifier(), parameters: Self.terms.parameters, indexSalt: Self.terms.indexSalt)
        #expect(other.indexKey != expected)
    }
}
