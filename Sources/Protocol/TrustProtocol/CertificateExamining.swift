import ChatelaineModel

/// Reads certificates, which strangers have made. Whoever calls it holds no lock: it may take seconds.
package protocol CertificateExamining: Sendable {
    /// What came of each certificate (DER), in their order; within ``CertificateLimits``.
    ///
    /// - Throws: where nobody could look, and never for what was looked at.
    func read(_ certificates: [[UInt8]]) throws(KeychainError) -> [CertificateReading]
    /// The normalised forms of distinguished names (DER), in their order.
    ///
    /// - Throws: `errSecParam` where one is no name; and where nobody could look.
    func normalize(_ names: [[UInt8]]) throws(KeychainError) -> [[UInt8]]
}
