import ChatelaineModel
import SignatureFormat
import TrustProtocol
import X509

/// Makes signatures of executables, and profiles.
package struct CodeSigner {
    /// A year, the usual validity of developers' certificates.
    package static let standardDays = 365

    /// The content of the signature to make.
    package struct Request {
        package var digest: ExecutableDigest
        /// `TEAMID.bundle.id`.
        package var identifier: String
        /// The entitlements, as a property list or a JSON object; nil for none.
        package var entitlements: [UInt8]?
        /// A JWS that the anchor signed; nil for none.
        package var profile: [UInt8]?
        package var days = CodeSigner.standardDays
        /// Seconds since 1970.
        package var now: Int64

        package init(digest: ExecutableDigest, identifier: String, entitlements: [UInt8]? = nil, now: Int64) {
            self.digest = digest
            self.identifier = identifier
            self.entitlements = entitlements
            self.now = now
        }
    }

    static let secondsPerDay: Int64 = 86_400

    let identity: SigningIdentity

    package init(_ identity: SigningIdentity) { self.identity = identity }

    /// Makes the content of `NAME.codesig`, and verifies it as far as the identity's files allow.
    package func sign(_ request: Request) throws(KeychainError) -> [UInt8] {
        let entitlements =
            try request.entitlements.map { (file) throws(KeychainError) in
                try EntitlementsFile.read(file, of: identity.team)
            } ?? JSONObject()
        let until = min(request.now + Int64(request.days) * Self.secondsPerDay, identity.signer.validity.until + 1)
        var members: [JSONObject.Member] = [
            .init(name: SignaturePayload.Name.identifier, value: .string(request.identifier)),
            .init(name: SignaturePayload.Name.team, value: .string(identity.team.text)),
            .init(name: SignaturePayload.Name.digest, value: .string(request.digest.description)),
            .init(name: ClaimedValidity.from, value: .integer(request.now)),
            .init(name: ClaimedValidity.until, value: .integer(until)),
            .init(name: SignaturePayload.Name.issued, value: .integer(request.now)),
            .init(name: SignaturePayload.Name.entitlements, value: .object(entitlements)),
        ]
        if let profile = request.profile {
            members.append(
                .init(name: SignaturePayload.Name.profile, value: .string(String(decoding: profile, as: UTF8.self))))
        }
        let signature = try jws(.signature, identity.certificates, JSONObject(members: members))
        try check(signature, request)
        return signature
    }

    /// Makes a profile with the anchor's key; this identity must be the anchor.
    ///
    /// - Parameter payload: the claims of the profile (`Documentation/formats/codesig.md`).
    func profile(_ payload: JSONObject) throws(KeychainError) -> [UInt8] {
        try jws(.profile, Array(identity.certificates.prefix(1)), payload)
    }

    private func jws(
        _ kind: CompactJWS.Kind, _ certificates: [[UInt8]], _ payload: JSONObject
    ) throws(KeychainError) -> [UInt8] {
        let chain = certificates.map { JSONValue.string(String(decoding: Base64.standard.encode($0), as: UTF8.self)) }
        let header = JSONObject(members: [
            .init(name: "alg", value: .string(identity.algorithm.rawValue)),
            .init(name: "typ", value: .string(kind.rawValue)), .init(name: "x5c", value: .array(chain)),
        ])
        let dot = UInt8(ascii: ".")
        let signed =
            Base64.url.encode(JSONValue.object(header).encoded) + [dot]
            + Base64.url.encode(JSONValue.object(payload).encoded)
        return signed + [dot] + Base64.url.encode(try identity.sign(signed))
    }

    /// Refuses to return a signature that would not count.
    ///
    /// Without the anchor, the chain up to it is not checked, and neither is whether the team requires a profile.
    private func check(_ signature: [UInt8], _ request: Request) throws(KeychainError) {
        var question = SignatureQuestion(
            signature: signature, digest: request.digest, anchor: nil, now: request.now)
        let verifier = SignatureVerifier()
        if let root = identity.root, let key = root.keyDigest, let certificate = identity.certificates.last {
            question.anchor = TeamAnchor(
                owner: TeamOwner(team: identity.team, anchorKey: key), certificate: certificate)
        } else {
            do throws(SignatureFlaw) { try SignerChain.check(signer: identity.signer, of: identity.team) } catch {
                throw KeychainError(.param, error.detail)
            }
        }
        guard case .defect(let defect, let detail) = verifier.verify(question) else { return }
        throw KeychainError(.param, "the signature would not count, since it \(defect.sentence): \(detail)")
    }
}
