import ChatelaineModel
import SwiftASN1
import TrustProtocol
import X509

/// The distribution's certificates: one file of PEM, written by root. Or a single certificate, PEM or DER, that somebody sets trust for.
package enum RootBundle {
    /// Those that can be read, in the file's order, each once. Text between them is skipped.
    package static func read(_ file: [UInt8]) -> [TrustRoot] {
        // A SEQUENCE; PEM is text.
        if file.first == 0x30 { return ReadCertificate(file).map { [TrustRoot($0)] } ?? [] }
        guard file.count <= TrustLimits.maximumBundleBytes,
            let documents = try? PEMDocument.parseMultiple(pemString: blocks(in: file))
        else { return [] }
        var seen: Set<[UInt8]> = []
        var roots: [TrustRoot] = []
        for document in documents where names.contains(document.discriminator) && roots.count < TrustLimits.maximumRoots
        {
            guard seen.insert(document.derBytes).inserted, let read = ReadCertificate(document.derBytes) else {
                continue
            }
            roots.append(TrustRoot(read))
        }
        return roots
    }

    /// The blocks of PEM alone, each from a line that begins one: a comment may hold whatever somebody called a certificate.
    private static func blocks(in file: [UInt8]) -> String {
        var text: [UInt8] = []
        var isInside = false
        for line in file.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: start) { isInside = true }
            if isInside { text += line + [UInt8(ascii: "\n")] }
            if line.starts(with: end) { isInside = false }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let (start, end) = (Array("-----BEGIN ".utf8), Array("-----END ".utf8))

    /// What certificates are called in PEM; the second, by older tools.
    private static let names: Set<String> = ["CERTIFICATE", "X509 CERTIFICATE"]
}

extension TrustRoot {
    fileprivate init(_ read: ReadCertificate) {
        self.init(certificate: read.der, subject: read.subjectBytes, summary: read.summary)
    }
}
