import ChatelaineMemory
import ChatelaineModel
import Sealing

/// A key that is sealed under a password, with all that is needed to try one.
struct PasswordSeal: Equatable, Sendable {
    /// The keys that a password gives, right or wrong.
    struct Keys {
        let wrapping: SecretBytes
        /// Stored: it shows whether a password is right, and reveals nothing about the other key.
        let check: [UInt8]

        /// - Parameters:
        ///   - root: the result of Argon2id, at the cost of one guess.
        ///   - purposes: those of the key that wraps, and of the check.
        init(_ root: SecretBytes, _ purposes: (wrapping: String, check: String), subject: Bytes16) {
            wrapping = KeyDerivation.key(from: root, purpose: purposes.wrapping, subject: subject)
            check = KeyDerivation.key(from: root, purpose: purposes.check, subject: subject)
                .withUnsafeBytes { [UInt8]($0) }
        }
    }

    let salt: Bytes16
    let parameters: PasswordHash.Parameters
    /// Shows whether a password is right.
    ///
    /// Opening the wrapping would not: AES-GCM is not committing, so one wrapping can be made to open under several
    /// keys. A wrong password must also be told from damage.
    let check: [UInt8]
    let wrapped: [UInt8]

    /// A wrong password is not an error of the seal, so that callers say what it means.
    ///
    /// - Returns: nil for a wrong password.
    func open(with keys: Keys, for context: SealContext) throws(KeychainError) -> SecretBytes? {
        guard SecretBytes(keys.check) == SecretBytes(check) else { return nil }
        return try SealingKey(keys.wrapping).open(wrapped, for: context)
    }
}

extension PasswordSeal {
    init(
        _ key: SecretBytes, under keys: Keys, _ salt: Bytes16, _ parameters: PasswordHash.Parameters,
        for context: SealContext
    ) throws(KeychainError) {
        self.init(
            salt: salt, parameters: parameters, check: keys.check,
            wrapped: try SealingKey(keys.wrapping).seal(key, for: context))
    }

    // MARK: CBOR

    /// The first fields of a map; others may follow.
    private enum Field: UInt64, CBORField {
        case salt = 0
        case memory = 1
        case passes = 2
        case lanes = 3
        case check = 4
        case wrapped = 5
    }

    func encodeFields(to map: inout CBORWriter) {
        map.write(Field.salt, salt)
        map.write(Field.memory, parameters.memory)
        map.write(Field.passes, parameters.passes)
        map.write(Field.lanes, parameters.lanes)
        map.write(Field.check, check)
        map.write(Field.wrapped, wrapped)
    }

    init(fieldsOf map: inout CBORMap) throws(CBORError) {
        salt = try map.read(Field.salt)
        parameters = PasswordHash.Parameters(
            memory: try map.read(Field.memory), passes: try map.read(Field.passes), lanes: try map.read(Field.lanes))
        guard parameters.isAcceptable else { throw .outOfRange }
        try map.find(Field.check)
        check = try map.reader.readArray(count: Sealing.keyByteCount)
        try map.find(Field.wrapped)
        wrapped = try map.reader.readArray(count: Sealing.wrappedKeyByteCount)
    }
}
