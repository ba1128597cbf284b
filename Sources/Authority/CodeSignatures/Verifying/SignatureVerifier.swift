import ChatelaineModel
import SignatureFormat
import TrustProtocol

/// Decides whether a signature counts, in the calling process.
///
/// Only `trustd` verifies signatures of strangers.
package struct SignatureVerifier: SignatureVerifying {
    package init() {}

    package func verify(_ question: SignatureQuestion) -> SignatureVerdict {
        do throws(SignatureFlaw) {
            let jws = try CompactJWS(question.signature, as: .signature)
            let payload = try SignaturePayload(jws)
            guard let anchor = question.anchor else { return .needsAnchor(payload.team) }
            return .claims(try claims(jws, payload, anchor, question))
        } catch {
            return .defect(error.defect, detail: error.detail)
        }
    }

    /// Checks first the signer and the signature, then the claims.
    private func claims(
        _ jws: CompactJWS, _ payload: SignaturePayload, _ anchor: TeamAnchor, _ question: SignatureQuestion
    ) throws(SignatureFlaw) -> SignedClaims {
        guard payload.team == anchor.owner.team else {
            throw SignatureFlaw(.unknownTeam, "it is of the team \(payload.team), not of \(anchor.owner.team)")
        }
        let chain = try SignerChain(jws.certificates, to: anchor)
        switch JWSVerification.verify(jws, by: chain.signer) {
        case true?: break
        case false?: throw SignatureFlaw(.wrongSignature, "the signer's key did not make it")
        case nil:
            throw SignatureFlaw(.unsupportedAlgorithm, "the signer's key is not one for \(jws.algorithm.rawValue)")
        }
        guard payload.digest == question.digest.value else {
            throw SignatureFlaw(.wrongDigest, "it is for \(payload.digest), and the file is \(question.digest)")
        }
        var periods =
            chain.certificates.map(\.validity) + [(from: payload.validity.from, until: payload.validity.until)]
        if let profile = try profile(payload, anchor) {
            try profile.check(payload, by: chain.digests[0])
            periods.append((from: profile.validity.from, until: profile.validity.until))
        }
        let from = periods.map(\.from).max() ?? .max
        let until = periods.map(\.until).min() ?? .min
        guard question.now <= until else { throw SignatureFlaw(.expired, "it was valid until \(until)") }
        guard question.now >= from else { throw SignatureFlaw(.notYetValid, "it is valid from \(from)") }
        return SignedClaims(
            owner: anchor.owner, identifier: payload.identifier, keychainGroups: payload.keychainGroups,
            applicationGroups: payload.applicationGroups, entitlements: payload.entitlements, validFrom: from,
            validUntil: until, certificates: chain.digests, keys: chain.keys)
    }

    /// Reads the profile. A present profile is enforced even if the team does not require one.
    private func profile(
        _ payload: SignaturePayload, _ anchor: TeamAnchor
    ) throws(SignatureFlaw) -> SigningProfile? {
        if let bytes = payload.profile { return try SigningProfile(bytes, by: anchor) }
        guard !anchor.requiresProfiles else {
            throw SignatureFlaw(.outsideProfile, "its team asks for a profile, and there is none")
        }
        return nil
    }
}
