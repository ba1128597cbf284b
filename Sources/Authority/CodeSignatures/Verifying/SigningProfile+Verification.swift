import ChatelaineModel
import SignatureFormat
import TrustProtocol

extension SigningProfile {
    /// Reads a profile and verifies that the anchor signed it.
    ///
    /// - Throws: ``SignatureDefect/outsideProfile`` for every defect.
    init(_ bytes: [UInt8], by anchor: TeamAnchor) throws(SignatureFlaw) {
        do throws(SignatureFlaw) {
            let jws = try CompactJWS(bytes, as: .profile)
            let root = try SignerChain.root(of: anchor)
            guard jws.certificates.count == 1, SignerChain.isAnchor(jws.certificates[0], like: root) else {
                throw SignatureFlaw(.outsideProfile, "its certificate is not the anchor")
            }
            guard JWSVerification.verify(jws, by: root) == true else {
                throw SignatureFlaw(.outsideProfile, "it is not signed by the anchor's key")
            }
            try self.init(jws.payload, of: anchor.owner.team)
        } catch {
            throw SignatureFlaw(.outsideProfile, "the profile: \(error.detail)")
        }
    }
}
