import ChatelaineMemory
import ChatelaineModel
import Sealing

/// An application password in its context, with the keys derived from it.
///
/// Rows that were stored through one context share its salt, so that reading many of them costs one derivation.
struct ApplicationPassword: Sendable {
    /// The number of salts whose keys are kept: items of as many contexts can be read without a new derivation.
    static let maximumKeys = 8

    let bytes: SecretBytes
    /// Whether a person has typed it, and it has neither opened nor sealed a row yet.
    var isUnproven: Bool
    /// The salt for rows that are stored through this context.
    let salt = Bytes16.random()
    private var keys: [StretchedPassword] = []

    init(_ bytes: SecretBytes, isTyped: Bool) {
        self.bytes = bytes
        isUnproven = isTyped
    }

    func key(_ salt: Bytes16, _ parameters: PasswordHash.Parameters) -> StretchedPassword? {
        keys.first { $0.salt == salt && $0.parameters == parameters }
    }

    mutating func keep(_ key: StretchedPassword) {
        if keys.count >= Self.maximumKeys { keys.removeFirst() }
        keys.append(key)
    }
}

/// The result of Argon2id for a password, at the cost of one guess.
struct StretchedPassword: Sendable {
    let salt: Bytes16
    let parameters: PasswordHash.Parameters
    let root: SecretBytes
}

/// A row key sealed under an application password.
///
/// The class key wraps it once more (`Documentation/formats/seals.md`).
struct PasswordWrapping: Sendable {
    private static let wrappingPurpose = "chatelaine application password key"
    private static let checkPurpose = "chatelaine application password check"

    let salt: Bytes16
    let parameters: PasswordHash.Parameters
    /// Shows whether a password is right.
    ///
    /// AES-GCM is not committing, and a wrong password must be told from damage.
    private let check: [UInt8]
    private let wrapped: [UInt8]

    init(_ rowKey: SecretBytes, under key: StretchedPassword, of row: RowContext) throws(KeychainError) {
        (salt, parameters) = (key.salt, key.parameters)
        check = Self.check(key, row)
        wrapped = try Self.wrapping(key, row).seal(rowKey, for: Self.place(row))
    }

    /// The row key; `errSecAuthFailed` for a wrong password.
    func open(with key: StretchedPassword, of row: RowContext) throws(KeychainError) -> SecretBytes {
        guard SecretBytes(Self.check(key, row)) == SecretBytes(check) else {
            throw KeychainError(.authFailed, "the item was stored with another password of the program's")
        }
        return try Self.wrapping(key, row).open(wrapped, for: Self.place(row))
    }

    /// The context of the seal.
    ///
    /// It does not depend on the row's place, so that the class key can be replaced without the password.
    private static func place(_ row: RowContext) -> SealContext { SealContext(.passwordRowKey, store: row.store) }

    private static func wrapping(_ key: StretchedPassword, _ row: RowContext) throws(KeychainError) -> SealingKey {
        try SealingKey(KeyDerivation.key(from: key.root, purpose: wrappingPurpose, subject: row.row.value))
    }

    private static func check(_ key: StretchedPassword, _ row: RowContext) -> [UInt8] {
        KeyDerivation.key(from: key.root, purpose: checkPurpose, subject: row.row.value).withUnsafeBytes { [UInt8]($0) }
    }
}

extension PasswordWrapping: CBORValue {
    private enum Field: UInt64, CBORField {
        case salt = 0
        case memory = 1
        case passes = 2
        case lanes = 3
        case check = 4
        case wrapped = 5
    }

    func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.salt, salt)
            $0.write(Field.memory, parameters.memory)
            $0.write(Field.passes, parameters.passes)
            $0.write(Field.lanes, parameters.lanes)
            $0.write(Field.check, check)
            $0.write(Field.wrapped, wrapped)
        }
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        salt = try map.read(Field.salt)
        parameters = PasswordHash.Parameters(
            memory: try map.read(Field.memory), passes: try map.read(Field.passes), lanes: try map.read(Field.lanes))
        guard parameters.isAcceptable else { throw .outOfRange }
        try map.find(Field.check)
        check = try map.reader.readArray(count: Sealing.keyByteCount)
        try map.find(Field.wrapped)
        wrapped = try map.reader.readArray(count: Sealing.wrappedKeyByteCount)
        reader = try map.end()
    }

    /// - Throws: `errSecDecode` for malformed content.
    init(decoding content: SecretBytes) throws(KeychainError) {
        let read: Result<PasswordWrapping, CBORError> = content.withUnsafeBytes { bytes in
            Result { () throws(CBORError) in
                var reader = CBORReader(bytes)
                let wrapping = try PasswordWrapping(from: &reader)
                try reader.finish()
                return wrapping
            }
        }
        guard case .success(let wrapping) = read else {
            throw KeychainError(.decode, "a row key is not wrapped by a password as its constraints say")
        }
        self = wrapping
    }

    var encoded: SecretBytes {
        var writer = CBORWriter(capacity: 256)
        encode(to: &writer)
        return writer.finish()
    }
}
