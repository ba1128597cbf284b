import ChatelaineModel
import SwiftASN1
import TrustProtocol
import X509

/// The distribution's certificates: one file of PEM, written by root.
package enum RootBundle {
    /// Those that can be read, in the file's order, each once. Text between them is skipped.
    package static func read(_ file: [UInt8]) -> [TrustRoot] {
        guard file.count <= TrustLimits.maximumBundleBytes,
            let documents = try? PEMDocument.parseMultiple(pemString: String(decoding: file, as: UTF8.self))
        else { return [] }
        var seen: Set<[UInt8]> = []
        let roots = documents.lazy
            .filter { Self.names.contains($0.discriminator) && seen.insert($0.derBytes).inserted }
            .compactMap { document -> TrustRoot? in
                guard let read = ReadCertificate(document.derBytes) else { return nil }
                return TrustRoot(certificate: read.der, subject: read.subjectBytes, summary: read.summary)
            }
        return Array(roots.prefix(TrustLimits.maximumRoots))
    }

    /// What certificates are called in PEM; the second, by older tools.
    private static let names: Set<String> = ["CERTIFICATE", "X509 CERTIFICATE"]
}
