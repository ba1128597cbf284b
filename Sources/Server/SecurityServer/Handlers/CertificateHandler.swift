import ChatelaineIPC
import ChatelaineModel

/// Carries out requests to read certificates that the programs send.
enum CertificateHandler {
    static let routes: [RequestRoute] = [.init(aside: read)]

    /// The bytes of certificates above which the reports may exceed a small answer.
    ///
    /// A report repeats some parts of its certificate.
    private static let largeBytes = 128 * 1024

    static func read(
        _ request: ReadCertificates, _ context: inout RequestContext
    ) throws(KeychainError) -> [CertificateReading] {
        let bytes = request.certificates.reduce(0) { $0 + $1.count }
        guard bytes <= CertificateLimits.maximumBatchBytes else {
            throw KeychainError(
                .param, "certificates that are read at once have \(CertificateLimits.maximumBatchBytes) bytes at most")
        }
        if bytes > largeBytes { try context.reserveLargeReply() }
        return try context.services.certificateService.read(request.certificates)
    }
}
