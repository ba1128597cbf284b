import ChatelaineModel

/// Why bytes are no certificate.
struct CertificateFlaw: Error, Equatable {
    /// Of our own words: nothing of the certificate stands in it.
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
