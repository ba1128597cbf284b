/// What trustd reads of strangers, each as a function of bytes that checks what must always hold. The other targets are in `Targets`.
///
/// They are apart because swift-certificates, which they need, cannot be built beside the module `Security`.
enum FuzzTarget: String, CaseIterable {
    /// Certificates, their names, and files of roots.
    case certificates
    /// Chains whose certificates were made up and signed.
    case evaluations
    /// Answers of OCSP, lists of revoked certificates and messages with issuers, made up and signed.
    case revocations

    func run(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .certificates: CertificateTarget.run(bytes)
        case .evaluations: EvaluationTarget.run(bytes)
        case .revocations: RevocationTarget.run(bytes)
        }
    }
}
