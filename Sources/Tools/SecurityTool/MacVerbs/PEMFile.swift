import ChatelaineModel
import Foundation
import Glibc

/// Certificates in files, as text or as they are. What is in them is for trustd to read.
enum PEMFile {
    private static let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")

    /// All certificates of a file (DER); throws ``ToolError``.
    static func certificates(_ path: String) throws(ToolError) -> [[UInt8]] {
        let bytes: [UInt8]
        do {
            guard !path.isEmpty, let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int,
                size <= TrustLimits.maximumBundleBytes
            else { throw ToolError.failure("\(path) has more than \(TrustLimits.maximumBundleBytes) bytes") }
            bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch let error as ToolError { throw error } catch {
            throw .failure("\(path) cannot be read")
        }
        // A SEQUENCE; PEM is text.
        if bytes.first == 0x30 { return [bytes] }
        let found = certificates(in: String(decoding: bytes, as: UTF8.self))
        guard !found.isEmpty else { throw .failure("\(path) has no certificate") }
        return found
    }

    private static func certificates(in text: String) -> [[UInt8]] {
        text.components(separatedBy: begin).dropFirst().compactMap { part in
            part.range(of: end).flatMap { range in
                Data(base64Encoded: String(part[..<range.lowerBound]), options: .ignoreUnknownCharacters)
            }.map { [UInt8]($0) }
        }
    }

    static func text(of certificate: [UInt8]) -> String {
        let lines = Data(certificate).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "\(begin)\n\(lines)\n\(end)\n"
    }
}
