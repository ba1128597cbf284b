import ChatelaineModel
import ChatelaineSystem
import Sealing
import TrustProtocol

/// Has trustd read certificates, and remembers the results by their bytes.
///
/// A program that opens a connection makes objects of the same few certificates again and again. The results depend
/// only on the bytes, so they never become outdated; trustd itself remembers nothing. A certificate that takes over
/// trustd could falsify the results of others in the same batch. So only certificates that were read alone are
/// remembered.
package final class CertificateService: Sendable {
    /// The limits of one of two generations of results.
    ///
    /// When the newer one is full, the older one is forgotten.
    ///
    /// A report takes about three times the size of its certificate.
    static let generationCount = 1024
    static let generationBytes = 4 * 1024 * 1024

    private struct Memory {
        var recent: [[UInt8]: CertificateReading] = [:]
        var recentBytes = 0
        var former: [[UInt8]: CertificateReading] = [:]

        mutating func reading(of digest: [UInt8]) -> CertificateReading? { recent[digest] ?? former[digest] }

        mutating func note(_ reading: CertificateReading, of digest: [UInt8], bytes: Int) {
            if recent.count >= generationCount || recentBytes + bytes > generationBytes {
                (former, recent, recentBytes) = (recent, [:], 0)
            }
            if recent.updateValue(reading, forKey: digest) == nil { recentBytes += bytes }
        }
    }

    private let examiner: any CertificateExamining
    private let memory = AdaptiveMutex(Memory())

    init(_ examiner: any CertificateExamining) { self.examiner = examiner }

    /// The contents of certificates, however many, in their order.
    ///
    /// - Throws: where trustd could not read them.
    func read(_ certificates: [[UInt8]]) throws(KeychainError) -> [CertificateReading] {
        let digests = certificates.map { Checksum.sha256(of: $0) }
        var readings = memory.withLock { memory in digests.map { memory.reading(of: $0) } }
        var batch: [Int] = []
        var bytes = 0
        for (index, der) in certificates.enumerated() where readings[index] == nil {
            guard der.count <= CertificateLimits.maximumBytes else {
                readings[index] = .flaw(
                    "this is no certificate: it has more than \(CertificateLimits.maximumBytes) bytes")
                continue
            }
            if batch.count == CertificateLimits.maximumBatch || bytes + der.count > CertificateLimits.maximumBatchBytes
            {
                try read(batch, of: certificates, digests, into: &readings)
                (batch, bytes) = ([], 0)
            }
            batch.append(index)
            bytes += der.count
        }
        try read(batch, of: certificates, digests, into: &readings)
        return readings.compactMap { $0 }
    }

    private func read(
        _ batch: [Int], of certificates: [[UInt8]], _ digests: [[UInt8]], into readings: inout [CertificateReading?]
    ) throws(KeychainError) {
        guard !batch.isEmpty else { return }
        let answers = try examiner.read(batch.map { certificates[$0] })
        for (index, answer) in zip(batch, answers) { readings[index] = answer }
        guard let only = batch.first, batch.count == 1, let answer = readings[only] else { return }
        memory.withLock { $0.note(answer, of: digests[only], bytes: certificates[only].count) }
    }

    /// The content of a certificate.
    ///
    /// - Throws: `errSecParam`, with the reason, for bytes that are no certificate.
    func report(of certificate: [UInt8]) throws(KeychainError) -> CertificateReport {
        switch try read([certificate]).first {
        case .report(let report)?: return report
        case .flaw(let reason)?: throw KeychainError(.param, reason)
        case nil: throw KeychainError(.internalComponent, "a certificate was not read")
        }
    }

    /// See ``CertificateExamining/normalize(_:)``.
    func normalize(_ names: [[UInt8]]) throws(KeychainError) -> [[UInt8]] {
        try examiner.normalize(names)
    }
}
