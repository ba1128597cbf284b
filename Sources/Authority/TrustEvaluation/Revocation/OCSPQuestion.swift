import Crypto
import SwiftASN1
import X509

/// The question about one certificate that a responder is asked (RFC 6960, 4.1.1).
///
/// It is the one of RFC 5019: a name of the issuer by SHA-1, one certificate, and no nonce. So everybody asks the same, and answers are kept and handed
/// out by whoever stands between. That an answer is a new one is known by its time, not by a nonce.
enum OCSPQuestion {
    /// DER; nil where the certificate cannot be asked about.
    static func bytes(about certificate: ReadCertificate, by issuer: ReadCertificate) -> [UInt8]? {
        // A name for somebody, and no proof of anything.
        let name = Insecure.SHA1.hash(data: certificate.subjectOfIssuer)
        let key = Insecure.SHA1.hash(data: Array(issuer.certificate.publicKey.subjectPublicKeyInfoBytes))
        var serializer = DER.Serializer()
        // The question, what would be signed of it, its list, and the one that is in it.
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
    /// What `body` writes, in so many sequences within each other.
    fileprivate mutating func wrap(_ depth: Int, _ body: (inout DER.Serializer) throws -> Void) throws {
        guard depth > 0 else { return try body(&self) }
        try appendConstructedNode(identifier: .sequence) { try $0.wrap(depth - 1, body) }
    }
}
