import ChatelaineModel

/// Reads certificates, which strangers have made. The caller holds no lock, since a call may take seconds.
package protocol CertificateExamining: Sendable {
    /// The reading of each certificate (DER), in their order; within ``CertificateLimits``.
    ///
    /// - Throws: where no worker could read them; a bad certificate is no error.
    func read(_ certificates: [[UInt8]]) throws(KeychainError) -> [CertificateReading]
    /// The normalised forms of distinguished names (DER), in their order.
    ///
    /// - Throws: `errSecParam` where one is no name; and where no worker could read them.
    func normalize(_ names: [[UInt8]]) throws(KeychainError) -> [[UInt8]]
}

/// Judges chains of certificates, which strangers have made. The caller holds no lock, since a call may take seconds.
package protocol TrustJudging: Sendable {
    /// - Returns: nil where the worker crashed over the case, or took too long.
    /// - Throws: where no worker could judge it; a bad certificate is no error.
    func judge(_ trustCase: TrustCase) throws(KeychainError) -> TrustJudgement?
    /// The certificates of the distribution's file, which root wrote.
    func roots(in file: [UInt8]) throws(KeychainError) -> [TrustRoot]
}
