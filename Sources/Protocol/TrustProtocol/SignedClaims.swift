import ChatelaineModel

/// What a valid signature says about a program.
///
/// Everything in it is verified: the prefix of the team, the chain up to the team's anchor, the digest of the
/// executable.
package struct SignedClaims: Hashable, Sendable {
    package var owner: TeamOwner
    /// `TEAMID.bundle.id`.
    package var identifier: String
    /// `keychain-access-groups`, in their order; each has the team's prefix.
    package var keychainGroups: [String]
    /// `com.apple.security.application-groups`, in their order; they belong to the team, whatever their names.
    package var applicationGroups: [String]
    /// All entitlements, as the JSON object that was signed; a program gets its own.
    package var entitlements: [UInt8]
    /// The start of the time in which the signature and all of its certificates are valid; seconds since 1970.
    package var validFrom: Int64
    /// The end of that time.
    package var validUntil: Int64
    /// SHA-256 of each certificate of the chain, from the signer's to the anchor.
    package var certificates: [Bytes32]
    /// SHA-256 of the public key of each of those certificates, as `SubjectPublicKeyInfo`.
    ///
    /// A revocation names the key. From a certificate with an ECDSA signature, anyone can make another one that is as
    /// valid and has another digest.
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

    /// The access group of the identifier.
    package var application: AccessGroup { AccessGroup(identifier, of: owner) }

    /// The access groups in Apple's order, the default one first, each once (behaviour/access-groups.md).
    package var groups: [AccessGroup] {
        var seen: Set<String> = []
        return (keychainGroups + [identifier] + applicationGroups)
            .filter { seen.insert($0).inserted }
            .map { AccessGroup($0, of: owner) }
    }
}
