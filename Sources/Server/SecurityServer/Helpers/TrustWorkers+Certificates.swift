import ChatelaineModel
import TrustProtocol

extension TrustWorkers: CertificateExamining {
    package func read(_ certificates: [[UInt8]]) throws(KeychainError) -> [CertificateReading] {
        guard certificates.count <= CertificateLimits.maximumBatch,
            certificates.reduce(0, { $0 + $1.count }) <= CertificateLimits.maximumBatchBytes
        else {
            throw KeychainError(
                .param,
                "at most \(CertificateLimits.maximumBatch) certificates are read at once, of \(CertificateLimits.maximumBatchBytes) bytes together"
            )
        }
        guard !certificates.isEmpty else { return [] }
        switch try ask(.certificates(certificates), about: .certificates) {
        case .readings(let readings)? where readings.count == certificates.count: return readings
        case nil: throw noAnswer
        default: throw Self.confused
        }
    }

    package func normalize(_ names: [[UInt8]]) throws(KeychainError) -> [[UInt8]] {
        guard names.count <= CertificateLimits.maximumIssuers,
            names.reduce(0, { $0 + $1.count }) <= CertificateLimits.maximumBatchBytes
        else {
            throw KeychainError(
                .param,
                "at most \(CertificateLimits.maximumIssuers) issuers are looked for at once, of \(CertificateLimits.maximumBatchBytes) bytes together"
            )
        }
        guard !names.isEmpty else { return [] }
        switch try ask(.names(names), about: .certificates) {
        case .names(let normalized)? where normalized.count == names.count: return normalized
        case .unsuitable(let reason)?: throw KeychainError(.param, reason)
        case nil: throw noAnswer
        default: throw Self.confused
        }
    }
}
