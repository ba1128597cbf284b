import ChatelaineModel

/// Judges chains of certificates, which strangers have made. Whoever calls it holds no lock: it may take seconds.
package protocol TrustJudging: Sendable {
    /// - Throws: where nobody could look, and never for what was looked at.
    func judge(_ trustCase: TrustCase) throws(KeychainError) -> TrustJudgement
    /// The certificates of the distribution's file, which root wrote.
    func roots(in file: [UInt8]) throws(KeychainError) -> [TrustRoot]
}
