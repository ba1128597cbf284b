import ChatelaineModel
import FoundationEssentials
import SwiftASN1
import TrustProtocol
import X509

/// Reads the distribution's certificates from one PEM file written by root, or a single certificate, PEM or DER, for a
/// setting.
package enum RootBundle {
    /// The readable certificates in the file's order, each once.
    ///
    /// Text between them is skipped, and so is an unreadable block: a certificate that somebody added in another form
    /// does not affect the others.
    package static func read(_ file: [UInt8]) -> [TrustRoot] {
        if TrustLine.isDER(file) { return ReadCertificate(anchor: file).map { [TrustRoot($0)] } ?? [] }
        guard file.count <= TrustLimits.maximumBundleBytes else { return [] }
        var seen: Set<[UInt8]> = []
        var roots: [TrustRoot] = []
        for der in blocks(in: file) where roots.count < TrustLimits.maximumRoots {
            guard seen.insert(der).inserted, let read = ReadCertificate(anchor: der) else { continue }
            roots.append(TrustRoot(read))
        }
        return roots
    }

    /// The contents of the PEM blocks.
    ///
    /// A block begins only at the start of a line, because a comment may contain any text. Lines may have any length,
    /// and blanks at their ends.
    private static func blocks(in file: [UInt8]) -> [[UInt8]] {
        var found: [[UInt8]] = []
        // Nil outside a block, and in a block of another kind.
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

    /// The PEM names of certificates; older tools write the second.
    private static let names = ["CERTIFICATE-----", "X509 CERTIFICATE-----"].map { Array($0.utf8) }
}

extension TrustRoot {
    fileprivate init(_ read: ReadCertificate) {
        self.init(certificate: read.der, subject: read.subjectBytes, summary: read.summary)
    }
}
