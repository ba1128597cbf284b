import ChatelaineIPC
import ChatelaineModel

/// Carries out what programs ask about certificates that they have.
enum CertificateHandler {
    /// Bytes of certificates whose reports may be more than a small answer: a report has some parts of them several times.
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
