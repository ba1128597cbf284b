import ChatelaineModel
import ChatelaineTrustSettings
import Foundation

/// Reads certificates from files, as PEM or DER; trustd parses their content.
enum PEMFile {
    private static let (begin, end, dashes) = ("-----BEGIN ", "-----END ", "-----")
    /// The labels of certificates in PEM.
    private static let labels: Set = ["CERTIFICATE", "X509 CERTIFICATE"]
    /// OpenSSL's own label, of a certificate with settings of trust behind it.
    private static let ofOpenSSL = "TRUSTED CERTIFICATE"

    /// All certificates of a file, in DER.
    ///
    /// - Throws: ``ToolError``, also for a file of which a certificate is cut off: whoever has a file verified or
    ///   denied means all of it.
    static func certificates(_ path: String) throws(ToolError) -> [[UInt8]] {
        let bytes = try InputFile.bytes(path, limit: TrustLimits.maximumBundleBytes)
        if TrustLine.isDER(bytes) { return [bytes] }
        let text = String(decoding: bytes, as: UTF8.self)
        var found: [[UInt8]] = []
        for part in text.components(separatedBy: begin).dropFirst() {
            guard let label = part.range(of: dashes).map({ part[..<$0.lowerBound] }) else { continue }
            guard label != ofOpenSSL else {
                throw .failure(
                    "\(path) has a certificate with settings of OpenSSL\u{2019}s; \u{201C}openssl x509\u{201D} writes it without them"
                )
            }
            guard labels.contains(String(label)) else { continue }
            let body = part.dropFirst(label.count + dashes.count)
            guard let rest = body.range(of: end + label + dashes),
                let der = Data(base64Encoded: String(body[..<rest.lowerBound]), options: .ignoreUnknownCharacters)
            else { throw damaged(path) }
            found.append([UInt8](der))
        }
        // Each certificate has its end, also one whose beginning is not recognised.
        let ends = labels.reduce(0) { $0 + text.components(separatedBy: end + $1 + dashes).count - 1 }
        guard ends == found.count else { throw damaged(path) }
        guard found.isEmpty else { return found }
        // DER that is too short for a certificate, as trustd will say.
        guard bytes.first == 0x30 else { throw .failure("\(path) has no certificate") }
        return [bytes]
    }

    private static func damaged(_ path: String) -> ToolError {
        .failure("a certificate of \(path) is cut off or damaged; nothing of the file was used")
    }

    static func text(of certificate: [UInt8]) -> String { CertificateText.pem(certificate) }
}
