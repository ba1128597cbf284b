import Crypto
import SwiftASN1
import X509

/// The question to a responder about one certificate (RFC 6960, 4.1.1).
///
/// It has the form of RFC 5019: the issuer's name by SHA-1, one certificate, and no nonce. So all clients ask the same
/// question, and intermediaries can cache the answers. The time of an answer, not a nonce, shows that it is new.
enum OCSPQuestion {
    /// The DER of the question; nil if none can be made about the certificate.
    static func bytes(about certificate: ReadCertificate, by issuer: ReadCertificate) -> [UInt8]? {
        // SHA-1 only identifies the issuer here, and proves nothing.
        let name = Insecure.SHA1.hash(data: certificate.subjectOfIssuer)
        let key = Insecure.SHA1.hash(data: Array(issuer.certificate.publicKey.subjectPublicKeyInfoBytes))
        var serializer = DER.Serializer()
        // Four nested sequences: the question, its signable part, its list, and the single entry.
        let isWritten: Void? = try? serializer.wrap(4) { serializer in
            try serializer.wrap(1) { identifier in
                try identifier.wrap(1) { algorithm in
                    try algorithm.serialize(OCSPStatement.sha1)
                    try algorithm.serialize(ASN1Null())
                }
                try identifier.serialize(ASN1OctetString(contentBytes: Array(name)[...]))
                try identifier.serialize(ASN1OctetString(contentBytes: Array(key)[...]))
                try certificate.certificate.serialNumber.bytes.serialize(into: &identifier)
            }
        }
        return isWritten == nil ? nil : serializer.serializedBytes
    }
}

extension DER.Serializer {
    /// Writes `body` inside `depth` nested sequences.
    fileprivate mutating func wrap(_ depth: Int, _ body: (inout DER.Serializer) throws -> Void) throws {
        guard depth > 0 else { return try body(&self) }
        try appendConstructedNode(identifier: .sequence) { try $0.wrap(depth - 1, body) }
    }
}
