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
            let documents = try? PEMDocument.parseMultiple(pemString: String(decoding: file, as: UTF8.self))
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

    /// What certificates are called in PEM; the second, by older tools.
    private static let names: Set<String> = ["CERTIFICATE", "X509 CERTIFICATE"]
}

extension TrustRoot {
    fileprivate init(_ read: ReadCertificate) {
        self.init(certificate: read.der, subject: read.subjectBytes, summary: read.summary)
    }
}
