import ChatelaineModel

/// What a valid signature says of a program.
///
/// Everything in it was checked: the prefix of the team, the chain up to the team's anchor, the digest of the executable.
package struct SignedClaims: Hashable, Sendable {
    package var owner: TeamOwner
    /// `TEAMID.bundle.id`.
    package var identifier: String
    /// `keychain-access-groups`, in their order; each has the team's prefix.
    package var keychainGroups: [String]
    /// `com.apple.security.application-groups`, in their order; the team's, whatever their names.
    package var applicationGroups: [String]
    /// All entitlements, as the JSON object that was signed: what a program is told of its own.
    package var entitlements: [UInt8]
    /// Seconds since 1970: the signature and all of its certificates are valid from here …
    package var validFrom: Int64
    /// … to here.
    package var validUntil: Int64
    /// SHA-256 of each certificate of the chain, the signer's first and the anchor last.
    package var certificates: [Bytes32]
    /// SHA-256 of each one's public key, as `SubjectPublicKeyInfo`. What is revoked is named by its key: whoever has one certificate with an
    /// ECDSA signature can write another one that is as good and has another digest.
    package var keys: [Bytes32]

    package init(
        owner: TeamOwner, identifier: String, keychainGroups: [String], applicationGroups: [String],
        entitlements: [UInt8], validFrom: Int64, validUntil: Int64, certificates: [Bytes32],
        keys: [Bytes32] = []
    ) {
        self.owner = owner
        self.identifier = identifier
        self.keychainGroups = keychainGroups
        self.applicationGroups = applicationGroups
        self.entitlements = entitlements
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.certificates = certificates
        self.keys = keys
    }

    /// The identifier, under its owner.
    package var application: AccessGroup { AccessGroup(identifier, of: owner) }

    /// Groups in Apple's order, the default one first; each once (behaviour/access-groups.md).
    package var groups: [AccessGroup] {
        var seen: Set<String> = []
        return (keychainGroups + [identifier] + applicationGroups)
            .filter { seen.insert($0).inserted }
            .map { AccessGroup($0, of: owner) }
    }
}
