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
    private let seal: PasswordSeal

    private init(seal: PasswordSeal) { self.seal = seal }

    var salt: Bytes16 { seal.salt }
    var parameters: PasswordHash.Parameters { seal.parameters }

    init(_ rowKey: SecretBytes, under key: StretchedPassword, of row: RowContext) throws(KeychainError) {
        seal = try PasswordSeal(
            rowKey, under: Self.keys(key, row), key.salt, key.parameters, for: Self.place(row))
    }

    /// The row key; `errSecAuthFailed` for a wrong password.
    func open(with key: StretchedPassword, of row: RowContext) throws(KeychainError) -> SecretBytes {
        guard let rowKey = try seal.open(with: Self.keys(key, row), for: Self.place(row)) else {
            throw KeychainError(.authFailed, "the item was stored with another password of the program's")
        }
        return rowKey
    }

    /// The context of the seal.
    ///
    /// It does not depend on the row's place, so that the class key can be replaced without the password.
    private static func place(_ row: RowContext) -> SealContext { SealContext(.passwordRowKey, store: row.store) }

    private static func keys(_ key: StretchedPassword, _ row: RowContext) -> PasswordSeal.Keys {
        PasswordSeal.Keys(
            key.root, ("chatelaine application password key", "chatelaine application password check"),
            subject: row.row.value)
    }
}

extension PasswordWrapping {
    /// - Throws: `errSecDecode` for malformed content.
    init(decoding content: SecretBytes) throws(KeychainError) {
        let read: Result<PasswordWrapping, CBORError> = content.withUnsafeBytes { bytes in
            Result { () throws(CBORError) in
                var reader = CBORReader(bytes)
                var map = try CBORMap(reader)
                let seal = try PasswordSeal(fieldsOf: &map)
                reader = try map.end()
                try reader.finish()
                return PasswordWrapping(seal: seal)
            }
        }
        guard case .success(let wrapping) = read else {
            throw KeychainError(.decode, "a row key is not wrapped by a password as its constraints say")
        }
        self = wrapping
    }

    var encoded: SecretBytes {
        var writer = CBORWriter(capacity: 256)
        writer.writeMap { seal.encodeFields(to: &$0) }
        return writer.finish()
    }
}
