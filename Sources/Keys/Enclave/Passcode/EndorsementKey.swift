import ChatelaineMemory
import ChatelaineModel
import Crypto
import Sealing

/// The key that signs records which widen access, wrapped by the passcode's protector.
///
/// Only somebody with the passcode can sign; anybody can verify a signature. The key is made with the first signature.
/// New keys of the keybag replace it, since whoever has the former keybag and its passcode also has this key.
struct EndorsementKey: Equatable, Sendable {
    private static let kind = "chatelaine endorsement"

    /// The wrapped private key.
    let wrapped: [UInt8]
    let publicKey: [UInt8]
    /// The highest number of a signature that is known to be in use; signatures with lower numbers are old.
    var number: UInt64 = 0

    static func make(
        under protector: SecretBytes, for keybag: KeybagIdentifier
    ) throws(KeychainError) -> EndorsementKey {
        let secret = KeyDerivation.randomKey()
        let key = try signingKey(secret)
        return EndorsementKey(
            wrapped: try SealingKey(protector).seal(secret, for: SealContext(.endorsementKey, keybag: keybag)),
            publicKey: [UInt8](key.publicKey.rawRepresentation))
    }

    /// Makes the next signature.
    ///
    /// It does not change ``number``: the caller has the signature checked afterwards, which does.
    func sign(
        _ digest: [UInt8], under protector: SecretBytes, for keybag: KeybagIdentifier
    ) throws(KeychainError) -> Endorsement {
        let secret = try SealingKey(protector).open(wrapped, for: SealContext(.endorsementKey, keybag: keybag))
        let next = number + 1
        do {
            let signature = try Self.signingKey(secret).signature(for: Self.message(next, digest, keybag))
            return Endorsement(number: next, signature: [UInt8](signature))
        } catch let error as KeychainError { throw error } catch {
            throw KeychainError(.internalComponent, "records cannot be signed: \(error)")
        }
    }

    /// Whether a signature covers these records, and is no older than one in use.
    func accepts(_ endorsement: Endorsement, of digest: [UInt8], for keybag: KeybagIdentifier) -> Bool {
        guard endorsement.number >= max(number, 1), digest.count == Endorsement.digestBytes,
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey)
        else { return false }
        return key.isValidSignature(endorsement.signature, for: Self.message(endorsement.number, digest, keybag))
    }

    private static func signingKey(_ secret: SecretBytes) throws(KeychainError) -> Curve25519.Signing.PrivateKey {
        do {
            return try secret.withUnsafeBytes { try Curve25519.Signing.PrivateKey(rawRepresentation: $0) }
        } catch { throw KeychainError(.internalComponent, "the key that signs records cannot be used: \(error)") }
    }

    private enum Field: UInt64, CBORField {
        case kind = 0
        case keybag = 1
        case number = 2
        case digest = 3
    }

    private static func message(_ number: UInt64, _ digest: [UInt8], _ keybag: KeybagIdentifier) -> [UInt8] {
        var writer = CBORWriter(capacity: 128)
        writer.writeMap {
            $0.write(Field.kind, kind)
            $0.write(Field.keybag, keybag)
            $0.write(Field.number, number)
            $0.write(Field.digest, digest)
        }
        return writer.finishArray()
    }
}

extension EndorsementKey: CBORValue {
    private enum StoredField: UInt64, CBORField {
        case wrapped = 0
        case publicKey = 1
        case number = 2
    }

    static let publicKeyBytes = 32
    /// More often than any list is signed.
    private static let highestNumber: UInt64 = 1 << 62

    func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(StoredField.wrapped, wrapped)
            $0.write(StoredField.publicKey, publicKey)
            $0.write(StoredField.number, number)
        }
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        try map.find(StoredField.wrapped)
        let wrapped = try map.reader.readArray(count: Sealing.wrappedKeyByteCount)
        try map.find(StoredField.publicKey)
        let publicKey = try map.reader.readArray(count: Self.publicKeyBytes)
        self.init(wrapped: wrapped, publicKey: publicKey, number: try map.read(StoredField.number))
        guard number <= Self.highestNumber else { throw .outOfRange }
        reader = try map.end()
    }
}
