import ChatelaineModel
import FoundationEssentials
import SwiftASN1
import TrustProtocol
import X509

/// The distribution's certificates: one file of PEM, written by root. Or a single certificate, PEM or DER, that somebody sets trust for.
package enum RootBundle {
    /// Those that can be read, in the file's order, each once. Text between them is skipped, and so is what is none: one that somebody has added in another
    /// form takes no other with it.
    package static func read(_ file: [UInt8]) -> [TrustRoot] {
        if TrustLine.isDER(file) { return ReadCertificate(file).map { [TrustRoot($0)] } ?? [] }
        guard file.count <= TrustLimits.maximumBundleBytes else { return [] }
        var seen: Set<[UInt8]> = []
        var roots: [TrustRoot] = []
        for der in blocks(in: file) where roots.count < TrustLimits.maximumRoots {
            guard seen.insert(der).inserted, let read = ReadCertificate(der) else { continue }
            roots.append(TrustRoot(read))
        }
        return roots
    }

    /// What stands in blocks of PEM, each from a line that begins one: a comment may hold whatever somebody called a certificate. Lines are of any length, and
    /// may have blanks at their ends.
    private static func blocks(in file: [UInt8]) -> [[UInt8]] {
        var found: [[UInt8]] = []
        // Nil outside, and in a block of something else.
        var text: [UInt8]?
        for line in file.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: start) {
                text = names.contains { line.starts(with: start + $0) } ? [] : nil
            } else if line.starts(with: end) {
                if let text, let data = Data(base64Encoded: Data(text)) { found.append(Array(data)) }
                text = nil
            } else {
                text? += line.filter { !blanks.contains($0) }
            }
        }
        return found
    }

    private static let (start, end) = (Array("-----BEGIN ".utf8), Array("-----END ".utf8))
    private static let blanks = Set(" \t\r".utf8)

    /// What certificates are called in PEM; the second, by older tools.
    private static let names = ["CERTIFICATE-----", "X509 CERTIFICATE-----"].map { Array($0.utf8) }
}

extension TrustRoot {
    fileprivate init(_ read: ReadCertificate) {
        self.init(certificate: read.der, subject: read.subjectBytes, summary: read.summary)
    }
}
