import ChatelaineMemory
import ChatelaineModel
import Sealing

/// The header of a keychain's file, with which the password opens the keychain on any machine.
///
/// Format: `Documentation/formats/file-keychain-header.md`. securityd reads the header from the file, and the custodian
/// opens it. Neither needs anything of the device.
package struct KeychainHeader: Hashable, Sendable {
    package static let version: UInt64 = 1
    /// Far more than the 200 bytes or so of this version, so that a later version can be told from damage.
    package static let maximumBytes = 4096
    static let checkByteCount = 32

    /// The part of the header that is not derived from the password.
    package struct Terms: Hashable, Sendable {
        package let store: StoreIdentifier
        package let parameters: PasswordParameters
        package let salt: Bytes16
        /// The salt of the index key, which is no secret and stays when the password changes.
        package let indexSalt: Bytes16

        package init(
            store: StoreIdentifier, parameters: PasswordParameters, salt: Bytes16 = .random(),
            indexSalt: Bytes16 = .random()
        ) {
            self.store = store
            self.parameters = parameters
            self.salt = salt
            self.indexSalt = indexSalt
        }
    }

    package let terms: Terms
    /// The value that shows whether a password is right.
    package let check: [UInt8]
    /// The master key, wrapped by the password's key for these terms (``Terms/place``).
    package let wrappedKey: [UInt8]

    package init(_ terms: Terms, check: [UInt8], wrappedKey: [UInt8]) {
        self.terms = terms
        self.check = check
        self.wrappedKey = wrappedKey
    }

    package var store: StoreIdentifier { terms.store }

    package var indexKey: SecretBytes { terms.indexKey }
}

extension KeychainHeader.Terms {
    private static let indexPurpose = "chatelaine keychain index"

    /// Digests attribute values, by which a keychain is searched.
    ///
    /// Whoever has the file can derive the key: attributes can be read while the keychain is locked.
    package var indexKey: SecretBytes {
        let salt = indexSalt.withUnsafeBytes { SecretBytes(copying: $0) }
        return KeyDerivation.key(from: salt, purpose: Self.indexPurpose, subject: store.value)
    }
}

// MARK: The format

extension KeychainHeader {
    fileprivate static let magic = "chatelaine keychain header"

    fileprivate enum Field: UInt64, CBORField {
        case magic = 0
        case version = 1
        case store = 2
        case memory = 3
        case passes = 4
        case lanes = 5
        case salt = 6
        case indexSalt = 7
        case check = 8
        case wrappedKey = 9
        case checksum = 10
    }

    package var encoded: [UInt8] {
        var writer = CBORWriter()
        terms.encode(to: &writer)
        writer.write(Field.check, check)
        writer.write(Field.wrappedKey, wrappedKey)
        writer.write(Field.checksum, writer.withUnsafeBytes { Checksum.of($0) })
        return writer.finishArray()
    }

    /// - Parameter path: the file's path, for the text of an error.
    /// - Throws: `errSecInvalidKeychain` for damage and for parameters beyond the accepted ones; the cause
    ///   `newerFormat`.
    package init(decoding bytes: UnsafeRawBufferPointer, path: String) throws(KeychainError) {
        guard bytes.count <= Self.maximumBytes else { throw Self.damaged(path, "it is too long") }
        var map: CBORMap
        let version: UInt64
        do throws(CBORError) {
            map = try CBORMap(CBORReader(bytes))
            let magic: String = try map.read(Field.magic)
            guard magic == Self.magic else { throw .outOfRange }
            version = try map.read(Field.version)
        } catch { throw Self.damaged(path, "it is none, or cut short") }
        guard version <= Self.version else {
            throw KeychainError(
                cause: .newerFormat, status: .wrongSecVersion,
                "the header of the keychain \(path) has version \(version), newer than this version reads "
                    + "(\(Self.version)); update Chatelaine")
        }
        do throws(CBORError) {
            guard version == Self.version else { throw .outOfRange }
            try self.init(&map, of: bytes)
        } catch { throw Self.damaged(path, "its content contradicts itself") }
        guard terms.parameters.isAcceptable else {
            throw KeychainError(
                .invalidKeychain,
                "the header of the keychain \(path) asks for more or less than \(PasswordParameters.least) to "
                    + "\(PasswordParameters.most) for its password; it was not made by Chatelaine")
        }
    }

    package init(decoding bytes: [UInt8], path: String) throws(KeychainError) {
        let header: Result<KeychainHeader, KeychainError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try KeychainHeader(decoding: bytes, path: path) }
        }
        self = try header.get()
    }

    private init(_ map: inout CBORMap, of bytes: UnsafeRawBufferPointer) throws(CBORError) {
        terms = Terms(
            store: try map.read(Field.store),
            parameters: PasswordParameters(
                memory: try map.read(Field.memory), passes: try map.read(Field.passes),
                lanes: try map.read(Field.lanes)), salt: try map.read(Field.salt),
            indexSalt: try map.read(Field.indexSalt))
        try map.find(Field.check)
        check = try map.reader.readArray(count: Self.checkByteCount)
        try map.find(Field.wrappedKey)
        wrappedKey = try map.reader.readArray(count: Sealing.wrappedKeyByteCount)
        let content = bytes.prefix(map.reader.offset)
        try map.find(Field.checksum)
        guard try map.reader.readArray(count: Checksum.byteCount) == Checksum.of(content) else { throw .outOfRange }
        try map.end().finish()
    }

    private static func damaged(_ path: String, _ how: String) -> KeychainError {
        KeychainError(
            .invalidKeychain,
            "the header of the keychain \(path) is damaged (\(how)); without it nothing opens: restore the file from a backup"
        )
    }
}

extension KeychainHeader.Terms {
    /// The context in which the master key is wrapped: all of the header before the check value.
    package var place: SealContext {
        var writer = CBORWriter()
        encode(to: &writer)
        return SealContext(.keychainMasterKey, keychain: store, header: writer.finishArray())
    }

    /// Writes the beginning of a header.
    fileprivate func encode(to writer: inout CBORWriter) {
        // The count includes the fields that follow, since the wrapped key is bound to this head as well.
        writer.writeMap(count: 11)
        writer.write(KeychainHeader.Field.magic, KeychainHeader.magic)
        writer.write(KeychainHeader.Field.version, KeychainHeader.version)
        writer.write(KeychainHeader.Field.store, store)
        writer.write(KeychainHeader.Field.memory, parameters.memory)
        writer.write(KeychainHeader.Field.passes, parameters.passes)
        writer.write(KeychainHeader.Field.lanes, parameters.lanes)
        writer.write(KeychainHeader.Field.salt, salt)
        writer.write(KeychainHeader.Field.indexSalt, indexSalt)
    }
}

extension PasswordParameters: CustomStringConvertible {
    package var description: String { "\(memory / 1024) MiB in \(passes) passes of \(lanes) lanes" }
}
