import ChatelaineModel

/// The claims of a signature, checked for their form.
///
/// ``SignatureVerifier`` checks whether they are true.
package struct SignaturePayload {
    package let identifier: String
    package let team: TeamIdentifier
    package let digest: Bytes32
    package let validity: ClaimedValidity
    package let keychainGroups: [String]
    package let applicationGroups: [String]
    /// The JSON object of all entitlements, as it was signed.
    package let entitlements: [UInt8]
    /// A JWS that the anchor signed.
    package let profile: [UInt8]?

    package enum Name {
        package static let identifier = "sub"
        package static let team = "team"
        package static let digest = "sha256"
        package static let issued = "iat"
        package static let entitlements = "entitlements"
        package static let profile = "profile"
        package static let all = [
            identifier, team, digest, issued, ClaimedValidity.from, ClaimedValidity.until, entitlements, profile,
        ]
    }

    package init(_ jws: CompactJWS) throws(SignatureFlaw) {
        let payload = jws.payload
        if let name = payload.stranger(to: Name.all) {
            throw SignatureFlaw(.badClaim, "the claim \(name) is not known here")
        }
        identifier = try payload.text(Name.identifier)
        team = try payload.team(Name.team)
        guard let digest = Bytes32(digest: try payload.text(Name.digest)) else {
            throw SignatureFlaw(.badClaim, "the claim \(Name.digest) is no digest in hexadecimal")
        }
        self.digest = digest
        validity = try ClaimedValidity(payload)
        guard payload[Name.issued]?.value.integer != nil else {
            throw SignatureFlaw(.badClaim, "the claim \(Name.issued) is missing, or no whole number")
        }
        guard let member = payload[Name.entitlements], let entitlements = member.value.object else {
            throw SignatureFlaw(.badClaim, "the claim \(Name.entitlements) is missing, or no object")
        }
        self.entitlements = Array(jws.payloadBytes[member.range])
        if let application = entitlements[Entitlement.application] {
            guard let text = application.value.string, text.utf8.elementsEqual(identifier.utf8) else {
                throw SignatureFlaw(.badClaim, "\(Entitlement.application) is not the identifier")
            }
        }
        keychainGroups = try entitlements.names(Entitlement.keychainGroups)
        applicationGroups = try entitlements.names(Entitlement.applicationGroups)
        profile = payload[Name.profile] == nil ? nil : Array(try payload.text(Name.profile).utf8)
        try NameSpace(team).check(
            identifier: identifier, keychainGroups: keychainGroups, applicationGroups: applicationGroups)
    }
}

/// Apple's names of entitlements.
package enum Entitlement {
    package static let application = "application-identifier"
    package static let keychainGroups = "keychain-access-groups"
    package static let applicationGroups = "com.apple.security.application-groups"
}

/// `nbf` and `exp` (RFC 7519), as whole seconds since 1970.
package struct ClaimedValidity {
    package static let from = "nbf"
    package static let until = "exp"
    /// The end of the year 9999, the last date of certificates.
    private static let last: Int64 = 253_402_300_799

    package let from: Int64
    /// The last valid second: `exp` is the first second at which the claims have expired.
    package let until: Int64

    package init(_ payload: JSONObject) throws(SignatureFlaw) {
        guard let from = payload[Self.from]?.value.integer, let until = payload[Self.until]?.value.integer,
            0...Self.last ~= from, 0...Self.last ~= until, from < until
        else {
            throw SignatureFlaw(.badClaim, "the claims nbf and exp are not two whole numbers, the lower one first")
        }
        self.from = from
        self.until = until - 1
    }
}

extension JSONObject {
    package func text(_ name: String) throws(SignatureFlaw) -> String {
        guard let text = self[name]?.value.string else {
            throw SignatureFlaw(.badClaim, "the claim \(name) is missing, or no text")
        }
        return text
    }

    package func team(_ name: String) throws(SignatureFlaw) -> TeamIdentifier {
        guard let team = TeamIdentifier(try text(name)) else {
            throw SignatureFlaw(.badClaim, "the claim \(name) is no team: ten capital letters and digits")
        }
        return team
    }

    /// A list of names; empty if the member is missing.
    package func names(_ name: String) throws(SignatureFlaw) -> [String] {
        guard let member = self[name] else { return [] }
        guard let names = member.value.strings else {
            throw SignatureFlaw(.badClaim, "\(name) is no list of texts")
        }
        guard names.count <= SignatureLimits.maximumGroups else {
            throw SignatureFlaw(
                .tooLarge, "\(name) has \(names.count) names, and may have \(SignatureLimits.maximumGroups)")
        }
        return names
    }
}
