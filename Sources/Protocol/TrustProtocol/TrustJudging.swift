import ChatelaineModel

/// Judges chains of certificates, which strangers have made. Whoever calls it holds no lock: it may take seconds.
package protocol TrustJudging: Sendable {
    /// - Returns: nil where whoever looked at it ended over it, or took too long.
    /// - Throws: where nobody could look, and never for what was looked at.
    func judge(_ trustCase: TrustCase) throws(KeychainError) -> TrustJudgement?
    /// The certificates of the distribution's file, which root wrote.
    func roots(in file: [UInt8]) throws(KeychainError) -> [TrustRoot]
}
