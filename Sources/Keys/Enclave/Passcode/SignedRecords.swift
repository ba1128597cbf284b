import ChatelaineModel
import EnclaveProtocol

/// The records that were signed last and are in use.
///
/// New keys of the keybag replace the key that signed them. The records continue to count by their digest until the
/// next ones are signed. So nothing must be signed while keys are made, and an interruption in between loses nothing.
struct SignedRecords: Equatable, Sendable {
    /// Nil if they were signed before this field existed.
    var digest: [UInt8]?
    /// Whether they included settings of trust.
    ///
    /// Settings also deny, so records without any settings are then not the signed ones.
    let haveTrust: Bool

    /// The assumption for a passcode record without this field.
    static func former(_ key: EndorsementKey?) -> Self? {
        guard let key, key.number > 0 else { return nil }
        return Self(digest: nil, haveTrust: true)
    }
}

extension SignedRecords: CBORValue {
    private enum Field: UInt64, CBORField {
        case digest = 0
        case haveTrust = 1
    }

    func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.digest, digest)
            $0.write(Field.haveTrust, haveTrust)
        }
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        digest = try map.readIfPresent(Field.digest)
        haveTrust = try map.read(Field.haveTrust)
        guard digest?.count ?? Endorsement.digestBytes == Endorsement.digestBytes else { throw .outOfRange }
        reader = try map.end()
    }
}
