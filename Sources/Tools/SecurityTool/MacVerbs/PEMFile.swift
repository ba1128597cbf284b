import ChatelaineModel
import ChatelaineTrustSettings
import Foundation

/// Reads certificates from files, as PEM or DER; trustd parses their content.
enum PEMFile {
    /// All certificates of a file, in DER; throws ``ToolError``.
    static func certificates(_ path: String) throws(ToolError) -> [[UInt8]] {
        let bytes = try InputFile.bytes(path, limit: TrustLimits.maximumBundleBytes)
        // DER begins with a SEQUENCE; PEM is text.
        if bytes.first == 0x30 { return [bytes] }
        let found = certificates(in: String(decoding: bytes, as: UTF8.self))
        guard !found.isEmpty else { throw .failure("\(path) has no certificate") }
        return found
    }

    private static func certificates(in text: String) -> [[UInt8]] {
        text.components(separatedBy: CertificateText.begin).dropFirst().compactMap { part in
            part.range(of: CertificateText.end).flatMap { range in
                Data(base64Encoded: String(part[..<range.lowerBound]), options: .ignoreUnknownCharacters)
            }.map { [UInt8]($0) }
        }
    }

    static func text(of certificate: [UInt8]) -> String { CertificateText.pem(certificate) }
}
