import ChatelaineModel

/// Judges chains of certificates, which strangers have made. The caller holds no lock, since a call may take seconds.
package protocol TrustJudging: Sendable {
    /// - Returns: nil where the worker crashed over the case, or took too long.
    /// - Throws: where no worker could judge it; a bad certificate is no error.
    func judge(_ trustCase: TrustCase) throws(KeychainError) -> TrustJudgement?
    /// The certificates of the distribution's file, which root wrote.
    func roots(in file: [UInt8]) throws(KeychainError) -> [TrustRoot]
}
