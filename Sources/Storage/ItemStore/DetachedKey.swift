import ChatelaineModel
import EnclaveProtocol
import Sealing

/// A private key of the enclave that has no row: its program keeps these bytes
/// (`Documentation/formats/detached-keys.md`).
///
/// The key is sealed for this store, and for the access group of the program that made it, by keys that only the
/// custodian has. An authentication code over all fields proves that the public key beside it belongs to it.
struct DetachedKey {
    static let version: UInt64 = 1
    /// The limit for the encoding, which has some four hundred bytes and the constraints.
    static let maximumBytes = 4 * 1024
    private static let magic = "chatelaine enclave key"

    private enum Field: UInt64, CBORField {
        case magic = 0
        case version = 1
        case publicBytes = 2
        case key = 3
        case code = 4
    }

    let publicBytes: [UInt8]
    let key: SealedKey

    var context: RowContext { key.rowKey.context }

    func encoded(_ digests: StoreDigests) -> [UInt8] {
        var writer = CBORWriter(capacity: 512)
        // The map's count includes the code, since the code covers this head as well.
        writer.writeMap(count: 5)
        writer.write(Field.magic, Self.magic)
        writer.write(Field.version, Self.version)
        writer.write(Field.publicBytes, publicBytes)
        writer.write(Field.key, key)
        let code = writer.withUnsafeBytes { digests.detachedKey([UInt8]($0)) }
        writer.write(Field.code, code)
        return writer.finishArray()
    }

    /// Decodes and authenticates a kept key.
    ///
    /// - Throws: `errSecDecode` for bytes that are no key of this store, for whatever reason.
    init(_ bytes: [UInt8], of store: StoreIdentifier, _ digests: StoreDigests) throws(KeychainError) {
        guard bytes.count <= Self.maximumBytes, let read = try? Self.read(bytes) else { throw Self.none }
        guard read.version == Self.version else {
            throw KeychainError(
                .decode, "the bytes are a key of the enclave of version \(read.version), later than this one knows")
        }
        let head = [UInt8](bytes.prefix(read.headCount))
        guard digests.isDetachedKey(head, read.code), read.key.key.rowKey.context.store == store,
            read.key.context.keyCustody == .detached
        else { throw Self.none }
        self = read.key
    }

    init(publicBytes: [UInt8], key: SealedKey) {
        self.publicBytes = publicBytes
        self.key = key
    }

    private static func read(
        _ bytes: [UInt8]
    ) throws(CBORError) -> (key: DetachedKey, version: UInt64, headCount: Int, code: [UInt8]) {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(CBORError) in
                var map = try CBORMap(CBORReader(bytes))
                let magic: String = try map.read(Field.magic)
                guard magic == Self.magic else { throw .outOfRange }
                let version: UInt64 = try map.read(Field.version)
                let publicBytes: [UInt8] = try map.read(Field.publicBytes)
                let key: SealedKey = try map.read(Field.key)
                let headCount = map.reader.offset
                let code: [UInt8] = try map.read(Field.code)
                try map.end().finish()
                return (DetachedKey(publicBytes: publicBytes, key: key), version, headCount, code)
            }
        }
        return try result.get()
    }

    private static var none: KeychainError {
        KeychainError(
            .decode, "the bytes are no key of this enclave: they are damaged, or were made on another device")
    }
}
