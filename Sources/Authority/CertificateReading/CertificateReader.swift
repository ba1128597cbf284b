import ChatelaineModel
import SwiftASN1

/// Parses certificates of strangers and reports their content.
///
/// swift-asn1 parses the DER; this module knows the structure of certificates (RFC 5280, 4.1). It reads a certificate
/// whatever that claims, because trust is decided elsewhere. Bytes that Apple reads as a certificate should be one
/// here, including one with a negative serial number. In daemons it runs only in `trustd`, which is sandboxed and whose
/// workers end after one question.
package enum CertificateReader {
    package static func read(_ der: [UInt8]) -> CertificateReading {
        do throws(CertificateFlaw) { return .report(try report(of: der)) } catch {
            return .flaw("this is no certificate: \(error.reason)")
        }
    }

    /// The normalised forms of single names (DER), in order.
    ///
    /// - Throws: `errSecParam` if one is no name.
    package static func normalize(_ names: [[UInt8]]) throws(KeychainError) -> [[UInt8]] {
        var normalized: [[UInt8]] = []
        for name in names {
            do throws(CertificateFlaw) { normalized.append(try NameReader.read(name).normalized) } catch {
                throw KeychainError(.param, "an issuer is no distinguished name: \(error.reason)")
            }
        }
        return normalized
    }

    static func report(of der: [UInt8]) throws(CertificateFlaw) -> CertificateReport {
        guard der.count <= CertificateLimits.maximumBytes else {
            throw CertificateFlaw("it has more than \(CertificateLimits.maximumBytes) bytes")
        }
        guard let node = try? DER.parse(der) else {
            throw CertificateFlaw("it is no DER, or not all of it, or more than that")
        }
        var certificate = try ElementReader(node, "the certificate")
        let (content, algorithm) = (try certificate.take(.sequence), try certificate.take(.sequence))
        let signature = try certificate.take(.bitString).wholeBits("the signature")
        try certificate.end()
        var report = try report(of: content, signedBy: algorithm)
        report.signature = signature
        return report
    }

    private static func report(
        of content: ASN1Node, signedBy algorithm: ASN1Node
    ) throws(CertificateFlaw) -> CertificateReport {
        var fields = try ElementReader(content, "the certificate")
        let version = try version(try fields.takeTagged(0))
        let serialNumber = try fields.take().integer("the serial number")
        // The outer algorithm is not covered by the signature and could be replaced, so it must equal the inner one.
        guard try fields.take(.sequence).encodedBytes == algorithm.encodedBytes else {
            throw CertificateFlaw("it says in two places by what it is signed, and not the same")
        }
        let issuer = try NameReader.read(try fields.take(.sequence), "the issuer")
        var validity = try ElementReader(try fields.take(.sequence), "the validity")
        let notBefore = try DateReader.read(try validity.take(), "the date from which it is valid")
        let notAfter = try DateReader.read(try validity.take(), "the date until which it is valid")
        try validity.end()
        let subject = try NameReader.read(try fields.take(.sequence), "the subject")
        let key = try KeyReader.read(try fields.take(.sequence))
        // Unique identifiers, unused for thirty years.
        for tag in [ASN1Identifier.tagged(1), .tagged(2)] where fields.takeIfPresent(tag) != nil {
            guard version > 1 else { throw CertificateFlaw("it has what version 1 does not have") }
        }
        let extensions = try fields.takeTagged(3)
        guard extensions == nil || version == 3 else {
            throw CertificateFlaw("it has extensions, and is not of version 3")
        }
        try fields.end()
        var identifier = try ElementReader(algorithm, "the algorithm of the signature")
        var report = CertificateReport(
            version: version, serialNumber: serialNumber,
            signatureAlgorithm: try identifier.take(.objectIdentifier).objectIdentifier(
                "the algorithm of the signature"),
            issuer: issuer, subject: subject, notBefore: notBefore, notAfter: notAfter, key: key,
            extensions: try extensions.map(ExtensionReader.read) ?? [])
        ExtensionReader.interpret(&report)
        return report
    }

    /// The version as people count it; the encoded number is one less.
    private static func version(_ node: ASN1Node?) throws(CertificateFlaw) -> UInt64 {
        guard let node else { return 1 }
        let number = try node.smallInteger("the version")
        guard number <= 2 else { throw CertificateFlaw("it is of a version that nobody knows") }
        return number + 1
    }
}
