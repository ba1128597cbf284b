import ChatelaineMemory
import ChatelaineModel
import Sealing

/// The part of a keybag that concerns its passcode: how the passcode key is derived and checked, and the protector that
/// it wraps.
///
/// The protector is a random key that wraps class keys. So a change of the passcode rewrites one wrapping, and nothing
/// else.
struct PasscodeRecord: Equatable, Sendable {
    /// The protector, wrapped by the passcode key.
    let protector: PasswordSeal
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
        let keys = try Self.keys(of: passcode, salt, parameters, keybag, hash, backend)
        return PasscodeRecord(
            protector: try PasswordSeal(
                protector, under: keys, salt, parameters, for: SealContext(.protector, keybag: keybag)))
    }

    /// The protector, or nil for a wrong passcode.
    func open(
        with passcode: SecretBytes, of keybag: KeybagIdentifier, hash: PasswordHash, backend: any KeyBackend
    ) throws(KeychainError) -> SecretBytes? {
        let keys = try Self.keys(of: passcode, protector.salt, protector.parameters, keybag, hash, backend)
        return try protector.open(with: keys, for: SealContext(.protector, keybag: keybag))
    }

    /// The keys derived from a passcode and the device together; neither alone is enough.
    private static func keys(
        of passcode: SecretBytes, _ salt: Bytes16, _ parameters: PasswordHash.Parameters, _ keybag: KeybagIdentifier,
        _ hash: PasswordHash, _ backend: any KeyBackend
    ) throws(KeychainError) -> PasswordSeal.Keys {
        let stretched = try hash.derive(passcode, salt.array, parameters)
        let device = try backend.derive(.passcode, for: keybag.value)
        var both = SecretBuffer(capacity: 2 * Sealing.keyByteCount)
        stretched.withUnsafeBytes { both.append($0) }
        device.withUnsafeBytes { both.append($0) }
        return PasswordSeal.Keys(
            both.finish(), ("chatelaine passcode key", "chatelaine passcode check"), subject: keybag.value)
    }
}

extension PasscodeRecord: CBORValue {
    /// The fields after those of ``PasswordSeal``.
    private enum Field: UInt64, CBORField {
        /// Since version 4 of the keybag.
        case endorsementKey = 6
        /// Since version 6.
        case signed = 7
    }

    func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            protector.encodeFields(to: &$0)
            $0.write(Field.endorsementKey, endorsementKey)
            $0.write(Field.signed, signed)
        }
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        protector = try PasswordSeal(fieldsOf: &map)
        endorsementKey = try map.readIfPresent(Field.endorsementKey)
        signed = try map.readIfPresent(Field.signed)
        reader = try map.end()
    }
}
