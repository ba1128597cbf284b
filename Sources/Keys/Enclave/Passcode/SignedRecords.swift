import ChatelaineModel
import EnclaveProtocol

/// Which records were signed last and are in use.
///
/// New keys leave the key behind that has signed them, and the records go on to count by their digest, until the next are signed. So nothing has to be
/// signed while keys are made, and nothing is lost where that ends in between.
struct SignedRecords: Equatable, Sendable {
    /// Nil where they were signed before this was kept.
    var digest: [UInt8]?
    /// Whether there were settings of trust among them. Those deny as well: records that say nothing of them are then not the ones that were signed.
    let haveTrust: Bool

    /// What is known of a record that says nothing of it.
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
