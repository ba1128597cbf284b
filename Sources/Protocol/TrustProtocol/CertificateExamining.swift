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
