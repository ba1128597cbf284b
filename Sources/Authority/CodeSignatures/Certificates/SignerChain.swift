import ChatelaineModel
import SignatureFormat
import TrustProtocol
@_spi(DisableValidityCheck) import X509

/// The certificates of a signature, from the signer to the anchor of its team.
///
/// Each is issued by the next one, and all are needed.
struct SignerChain {
    /// The signer's first, the anchor last.
    let certificates: [Certificate]
    /// SHA-256 of each, in the same order.
    let digests: [Bytes32]
    /// SHA-256 of each certificate's key.
    ///
    /// ECDSA has two signatures for each that it makes, so a certificate can be written in two ways; a key cannot.
    let keys: [Bytes32]

    var signer: Certificate { certificates[0] }

    /// - Parameter listed: DER, the signer's first; the anchor may be the last one.
    init(_ listed: [[UInt8]], to anchor: TeamAnchor) throws(SignatureFlaw) {
        let root = try Self.root(of: anchor)
        // The present anchor takes the place of a former one of the same key.
        let isAnchored = listed.count > 1 && Self.isAnchor(listed[listed.count - 1], like: root)
        let all = (isAnchored ? Array(listed.dropLast()) : listed) + [anchor.certificate]
        guard all.count <= SignatureLimits.maximumCertificates else {
            throw SignatureFlaw(.tooLarge, "it has \(all.count) certificates with the anchor")
        }
        var certificates: [Certificate] = []
        for (index, bytes) in all.enumerated() {
            certificates.append(try Certificate.read(bytes, "certificate \(index + 1)"))
        }
        guard all.count > 1 else { throw SignatureFlaw(.wrongSigner, "it is signed with the anchor itself") }
        if let index = certificates.firstIndex(where: { !$0.hasSupportedKey }) {
            throw SignatureFlaw(.unsupportedAlgorithm, "the key of certificate \(index + 1) is on no curve known here")
        }
        try Self.check(signer: certificates[0], of: anchor.owner.team)
        try Self.checkPath(certificates, to: root)
        self.certificates = certificates
        digests = all.compactMap { Bytes32(hashing: $0) }
        keys = certificates.compactMap(\.keyDigest)
        guard digests.count == all.count, keys.count == all.count else {
            throw SignatureFlaw(.malformed, "a certificate cannot be written again")
        }
    }

    /// Whether a certificate is the anchor's, or that of a former anchor which it has renewed: same key and same name.
    static func isAnchor(_ certificate: [UInt8], like root: Certificate) -> Bool {
        guard let other = try? Certificate.read(certificate, "a certificate") else { return false }
        return other.keyDigest != nil && other.keyDigest == root.keyDigest && other.subject == root.subject
    }

    /// The anchor's certificate, checked again here because another process checked it when it was added.
    static func root(of anchor: TeamAnchor) throws(SignatureFlaw) -> Certificate {
        let root: Certificate
        do throws(SignatureFlaw) { root = try Certificate.read(anchor.certificate, "the anchor") } catch {
            throw SignatureFlaw(.badChain, error.detail)
        }
        guard root.isOf(anchor.owner.team), root.keyDigest == anchor.owner.anchorKey else {
            throw SignatureFlaw(.badChain, "the anchor is not that of \(anchor.owner.team)")
        }
        return root
    }

    /// Whether a certificate may sign programs of a team.
    static func check(signer: Certificate, of team: TeamIdentifier) throws(SignatureFlaw) {
        guard signer.isOf(team) else {
            throw SignatureFlaw(
                .wrongSigner,
                "the signer's organizational unit is \(signer.organizationalUnit ?? "missing, or not one"), not \(team)"
            )
        }
        guard !signer.isAuthority else {
            throw SignatureFlaw(.wrongSigner, "the signer's certificate is for issuing certificates")
        }
        let usages = try? signer.extensions.extendedKeyUsage
        guard let usages, usages.contains(.codeSigning) else {
            throw SignatureFlaw(.wrongSigner, "the signer's certificate is not for signing code (extended key usage)")
        }
        let usage = try? signer.extensions.keyUsage
        guard let usage, usage.digitalSignature else {
            throw SignatureFlaw(.wrongSigner, "the signer's certificate is not for signatures (key usage)")
        }
    }

    /// Lets swift-certificates find a path to the anchor, and requires that it is the listed one.
    ///
    /// Dates are checked afterwards, for all certificates and the signature together, to tell expired signatures from
    /// wrong ones.
    private static func checkPath(_ certificates: [Certificate], to root: Certificate) throws(SignatureFlaw) {
        let between = Array(certificates.dropFirst().dropLast())
        let result = InlineExecutor.run { () -> CertificateValidationResult in
            var verifier = Verifier(rootCertificates: CertificateStore([root])) {
                RFC5280Policy.withValidityCheckDisabled()
                IssuerPolicy()
            }
            return await verifier.validate(leaf: certificates[0], intermediates: CertificateStore(between))
        }
        switch result {
        case .validCertificate(let chain)? where Array(chain) == certificates: return
        case .validCertificate?:
            throw SignatureFlaw(.badChain, "its certificates are not in order, or some are not needed")
        case .couldNotValidate(let failures)?:
            let reason = failures.first.map { ": \($0.policyFailureReason)" } ?? ""
            throw SignatureFlaw(.badChain, "its certificates do not lead to the anchor\(reason)")
        case nil: throw SignatureFlaw(.badChain, "its certificates could not be looked at")
        }
    }
}
