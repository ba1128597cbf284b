import ChatelaineModel

/// Why bytes are no certificate.
struct CertificateFlaw: Error, Equatable {
    /// A fixed text of this module: it contains nothing of the certificate.
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
