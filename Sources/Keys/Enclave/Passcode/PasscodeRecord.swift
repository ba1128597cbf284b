import ChatelaineMemory
import ChatelaineModel
import Sealing

/// The part of a keybag that concerns its passcode: how the passcode key is derived and checked, and the protector that
/// it wraps.
///
/// The protector is a random key that wraps class keys. So a change of the passcode rewrites one wrapping, and nothing
/// else.
struct PasscodeRecord: Equatable, Sendable {
    let salt: Bytes16
    let parameters: PasswordHash.Parameters
    /// Shows whether a passcode is right.
    ///
    /// Opening the wrapping would not: AES-GCM is not committing, so one wrapping can be made to open under several
    /// keys.
    let check: [UInt8]
    /// The protector, wrapped by the passcode key.
    let protector: [UInt8]
    /// Kept as long as the protector.
    var endorsementKey: EndorsementKey?
    /// Kept when the key that signed is replaced; nil until a signature is in use.
    var signed: SignedRecords?

    /// Makes the record of a new passcode, with a new salt.
    static func make(
        of passcode: SecretBytes, wrapping protector: SecretBytes, for keybag: KeybagIdentifier,
        parameters: PasswordHash.Parameters, hash: PasswordHash, backend: any KeyBackend
    ) throws(KeychainError) -> PasscodeRecord {
        let salt = Bytes16.random()
        let keys = try PasscodeKeys(passcode, salt, parameters, keybag, hash, backend)
        let wrapped = try SealingKey(keys.wrapping).seal(protector, for: SealContext(.protector, keybag: keybag))
        return PasscodeRecord(salt: salt, parameters: parameters, check: keys.check, protector: wrapped)
    }

    /// The protector, or nil for a wrong passcode.
    func open(
        with passcode: SecretBytes, of keybag: KeybagIdentifier, hash: PasswordHash, backend: any KeyBackend
    ) throws(KeychainError) -> SecretBytes? {
        let keys = try PasscodeKeys(passcode, salt, parameters, keybag, hash, backend)
        guard SecretBytes(keys.check) == SecretBytes(check) else { return nil }
        return try SealingKey(keys.wrapping).open(protector, for: SealContext(.protector, keybag: keybag))
    }
}

/// The keys derived from a passcode and the device together; neither alone is enough.
private struct PasscodeKeys {
    private static let wrappingPurpose = "chatelaine passcode key"
    private static let checkPurpose = "chatelaine passcode check"

    let wrapping: SecretBytes
    /// Stored: it shows whether a passcode is right, and reveals nothing about the other key.
    let check: [UInt8]

    init(
        _ passcode: SecretBytes, _ salt: Bytes16, _ parameters: PasswordHash.Parameters, _ keybag: KeybagIdentifier,
        _ hash: PasswordHash, _ backend: any KeyBackend
    ) throws(KeychainError) {
        let stretched = try hash.derive(passcode, salt.array, parameters)
        let device = try backend.derive(.passcode, for: keybag.value)
        var both = SecretBuffer(capacity: 2 * Sealing.keyByteCount)
        stretched.withUnsafeBytes { both.append($0) }
        device.withUnsafeBytes { both.append($0) }
        let root = both.finish()
        wrapping = KeyDerivation.key(from: root, purpose: Self.wrappingPurpose, subject: keybag.value)
        check = KeyDerivation.key(from: root, purpose: Self.checkPurpose, subject: keybag.value).withUnsafeBytes {
            [UInt8]($0)
        }
    }
}

extension PasscodeRecord: CBORValue {
    private enum Field: UInt64, CBORField {
        case salt = 0
        case memory = 1
        case passes = 2
        case lanes = 3
        case check = 4
        case protector = 5
        /// Since version 4 of the keybag.
        case endorsementKey = 6
        /// Since version 6.
        case signed = 7
    }

    func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.salt, salt)
            $0.write(Field.memory, parameters.memory)
            $0.write(Field.passes, parameters.passes)
            $0.write(Field.lanes, parameters.lanes)
            $0.write(Field.check, check)
            $0.write(Field.protector, protector)
            $0.write(Field.endorsementKey, endorsementKey)
            $0.write(Field.signed, signed)
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
        try map.find(Field.protector)
        protector = try map.reader.readArray(count: Sealing.wrappedKeyByteCount)
        endorsementKey = try map.readIfPresent(Field.endorsementKey)
        signed = try map.readIfPresent(Field.signed)
        reader = try map.end()
    }
}
