import ChatelaineMemory
import ChatelaineModel
import Sealing

/// The file of a keybag: a header in clear, the body, and an authentication of both
/// (`Documentation/formats/keybag.md`).
///
/// The header is checked in an order that gives every defect its own message: magic, version, store, UID key,
/// authentication, body.
struct KeybagFile: Sendable {
    static let version: UInt64 = 6
    /// The version that is written until a signature of records is in use.
    static let versionWithoutSignedRecords: UInt64 = 5
    /// The version that is written until there is a key for keys that programs keep, so that an older enclaved can read
    /// it.
    static let versionWithoutDetachedKeys: UInt64 = 4
    /// In bytes: room for ``Keybag/maximumKeys`` keys.
    static let maximumBytes = 1024 * 1024
    private static let magic = "chatelaine keybag"

    private enum Field: UInt64, CBORField {
        case magic = 0
        case version = 1
        case store = 2
        case keybag = 3
        /// The mark of the UID key.
        case mark = 4
        case body = 5
        case authentication = 6
    }

    let path: String
    let backend: any KeyBackend

    static func name(of store: StoreIdentifier) -> String { "\(text(store)).keybag" }

    /// An identifier in the usual form of a UUID, in lower case.
    static func text(_ identifier: some RandomIdentifier) -> String {
        var text = ""
        for (index, byte) in identifier.bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append("-") }
            text += Hexadecimal.text(of: [byte])
        }
        return text
    }

    static func version(of keybag: Keybag) -> UInt64 {
        if keybag.passcode?.signed != nil { return version }
        return keybag.hasDetachedKeys ? versionWithoutSignedRecords : versionWithoutDetachedKeys
    }

    func encode(_ keybag: Keybag) throws(KeychainError) -> SecretBytes {
        var body = CBORWriter(capacity: 2048)
        keybag.encodeBody(to: &body)
        var writer = CBORWriter(capacity: 4096)
        // The count is written first, since the authentication covers the head of the map as well.
        writer.writeMap(count: 7)
        writer.write(Field.magic, Self.magic)
        writer.write(Field.version, Self.version(of: keybag))
        writer.write(Field.store, keybag.store)
        writer.write(Field.keybag, keybag.id)
        writer.write(Field.mark, try backend.mark())
        writer.write(Field.body, body.finishArray())
        let digest = try authentication(of: keybag.id)
        let code = writer.withUnsafeBytes { digest.digest($0) }
        writer.write(Field.authentication, code)
        return writer.finish()
    }

    /// Decodes the keybag of `store`.
    ///
    /// - Throws: `errSecNotAvailable` for a newer version, otherwise `errSecInternalComponent`.
    func decode(_ content: SecretBytes, for store: StoreIdentifier) throws(KeychainError) -> Keybag {
        let keybag: Result<Keybag, KeychainError> = content.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try decode(bytes, for: store) }
        }
        return try keybag.get()
    }

    private func decode(_ bytes: UnsafeRawBufferPointer, for store: StoreIdentifier) throws(KeychainError) -> Keybag {
        let header: Header
        do throws(CBORError) { header = try Header(bytes, magic: Self.magic) } catch {
            throw damaged("it is no keybag, or cut short")
        }
        switch header.version {
        // Version 1 lacks generation and mark, versions 1 and 2 the passcode. The next change writes version 4, 5 or 6.
        case 1...Self.version: return try decode(bytes, header, for: store)
        case (Self.version + 1)...:
            throw KeychainError(
                cause: .newerFormat,
                "\(path) has version \(header.version), newer than this enclaved reads (\(Self.version)); update enclaved"
            )
        default: throw damaged("its version is \(header.version)")
        }
    }

    private func decode(
        _ bytes: UnsafeRawBufferPointer, _ header: Header, for store: StoreIdentifier
    ) throws(KeychainError) -> Keybag {
        var header = header
        let parts: Parts
        do throws(CBORError) { parts = try Parts(&header.rest) } catch { throw damaged("its header cannot be read") }
        guard parts.store == store else {
            throw KeychainError(
                .internalComponent,
                "\(path) is the keybag of another store, \(Self.text(parts.store)); put the right one in its place")
        }
        guard try parts.mark == backend.mark() else {
            throw KeychainError(
                .internalComponent,
                "\(path) was written under another UID key; restore the UID key and the keybag from one backup")
        }
        let content = UnsafeRawBufferPointer(rebasing: bytes[..<parts.authenticatedCount])
        let expected = try authentication(of: parts.keybag).digest(content)
        guard SecretBytes(expected) == SecretBytes(parts.authentication) else {
            throw damaged("its authentication code does not fit its content")
        }
        do throws(CBORError) {
            return try Keybag(
                body: parts.body, version: header.version, id: parts.keybag, store: parts.store)
        } catch {
            throw damaged("its content contradicts itself")
        }
    }

    private func authentication(of keybag: KeybagIdentifier) throws(KeychainError) -> KeyedDigest {
        KeyedDigest(try backend.derive(.keybagAuthentication, for: keybag.value))
    }

    private func damaged(_ how: String) -> KeychainError {
        KeychainError(.internalComponent, "\(path) is damaged (\(how)); it was left as it is: restore it from a backup")
    }

    /// The fields with which every version begins.
    private struct Header {
        let version: UInt64
        var rest: CBORMap

        init(_ bytes: UnsafeRawBufferPointer, magic: String) throws(CBORError) {
            rest = try CBORMap(CBORReader(bytes))
            let found: String = try rest.read(Field.magic)
            guard found == magic else { throw .outOfRange }
            version = try rest.read(Field.version)
        }
    }

    private struct Parts {
        let store: StoreIdentifier
        let keybag: KeybagIdentifier
        let mark: [UInt8]
        let body: UnsafeRawBufferPointer
        /// The number of bytes before the pair with the authentication.
        let authenticatedCount: Int
        let authentication: [UInt8]

        init(_ map: inout CBORMap) throws(CBORError) {
            store = try map.read(Field.store)
            keybag = try map.read(Field.keybag)
            try map.find(Field.mark)
            mark = try map.reader.readArray(count: UIDKeyFile.markByteCount)
            try map.find(Field.body)
            body = try map.reader.readBytes()
            authenticatedCount = map.reader.offset
            try map.find(Field.authentication)
            authentication = try map.reader.readArray(count: KeyedDigest.byteCount)
            try map.end().finish()
        }
    }
}
