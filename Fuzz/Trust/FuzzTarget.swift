/// The readers of untrusted bytes in trustd; each target is a function of bytes that checks the reader's invariants.
///
/// The other targets are in `Targets`. These are apart because they need swift-certificates, which cannot be built
/// together with the module `Security`.
enum FuzzTarget: String, CaseIterable {
    /// Certificates, their names, and files of roots.
    case certificates
    /// Chains of made-up, signed certificates.
    case evaluations
    /// Made-up, signed OCSP responses, revocation lists and messages with issuers.
    case revocations

    func run(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .certificates: CertificateTarget.run(bytes)
        case .evaluations: EvaluationTarget.run(bytes)
        case .revocations: RevocationTarget.run(bytes)
        }
    }
}
