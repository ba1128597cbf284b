import ChatelaineModel

/// What the anchor of a team lets single signers claim: a JWS by the anchor's own key inside the signature.
package struct SigningProfile {
    package let team: TeamIdentifier
    /// SHA-256 of the certificates of the signers.
    package let signers: [Bytes32]
    package let identifiers: [NamePattern]
    package let groups: [NamePattern]
    package let applicationGroups: [NamePattern]
    package let validity: ClaimedValidity

    package enum Name {
        package static let team = "team"
        package static let signers = "leaf"
        package static let identifiers = "identifiers"
        package static let groups = "groups"
        package static let applicationGroups = "application-groups"
        static let all = [
            team, signers, identifiers, groups, applicationGroups, ClaimedValidity.from, ClaimedValidity.until,
        ]
    }

    /// Reads the claims of a payload, without regard to who signed it.
    package init(_ payload: JSONObject, of team: TeamIdentifier) throws(SignatureFlaw) {
        if let name = payload.stranger(to: Name.all) {
            throw SignatureFlaw(.outsideProfile, "the claim \(name) is not known here")
        }
        self.team = try payload.team(Name.team)
        guard self.team == team else { throw SignatureFlaw(.outsideProfile, "it is of the team \(self.team)") }
        var signers: [Bytes32] = []
        for text in try payload.names(Name.signers) {
            guard let digest = Bytes32(digest: text) else {
                throw SignatureFlaw(.outsideProfile, "a signer is no digest in hexadecimal")
            }
            signers.append(digest)
        }
        self.signers = signers
        identifiers = try Self.patterns(payload, Name.identifiers, team)
        groups = try Self.patterns(payload, Name.groups, team)
        applicationGroups = try Self.patterns(payload, Name.applicationGroups, team)
        validity = try ClaimedValidity(payload)
    }

    private static func patterns(
        _ payload: JSONObject, _ name: String, _ team: TeamIdentifier
    ) throws(SignatureFlaw) -> [NamePattern] {
        var patterns: [NamePattern] = []
        for text in try payload.names(name) {
            guard let pattern = NamePattern(text, of: team) else {
                throw SignatureFlaw(
                    .outsideProfile, "\(text) is neither a name nor one with .* behind the team's prefix")
            }
            patterns.append(pattern)
        }
        return patterns
    }

    /// Checks that the profile covers everything that a signer claims.
    package func check(_ claims: SignaturePayload, by signer: Bytes32) throws(SignatureFlaw) {
        guard signers.contains(signer) else {
            throw SignatureFlaw(.outsideProfile, "the profile does not name this signer")
        }
        for (names, patterns) in [
            ([claims.identifier], identifiers), (claims.keychainGroups, groups),
            (claims.applicationGroups, applicationGroups),
        ] {
            if let name = names.first(where: { name in !patterns.contains { $0.matches(name) } }) {
                throw SignatureFlaw(.outsideProfile, "the profile does not allow \(name)")
            }
        }
    }
}

/// A name, or all names below one: `TEAMID.*` and `TEAMID.some.thing.*`.
package struct NamePattern: Equatable {
    private let text: String
    private let isPrefix: Bool

    /// Nil if a wildcard is not at the end after a full stop, or comes before the end of the team's prefix.
    package init?(_ pattern: String, of team: TeamIdentifier) {
        isPrefix = pattern.utf8.last == UInt8(ascii: "*")
        text = isPrefix ? String(pattern.dropLast()) : pattern
        guard !text.isEmpty, !text.utf8.contains(UInt8(ascii: "*")) else { return nil }
        guard isPrefix else { return }
        guard text.utf8.starts(with: "\(team).".utf8), text.utf8.last == UInt8(ascii: ".") else { return nil }
    }

    package func matches(_ name: String) -> Bool {
        guard isPrefix else { return name.utf8.elementsEqual(text.utf8) }
        return name.utf8.starts(with: text.utf8) && name.utf8.count > text.utf8.count
    }
}
