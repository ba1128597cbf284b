import ChatelaineModel

/// Asks whether a signature of an executable is valid, with the anchor of its team where that is known.
package struct SignatureQuestion: Hashable, Sendable {
    /// All bytes of the file `NAME.codesig`.
    package var signature: [UInt8]
    package var digest: ExecutableDigest
    /// The team's anchor; nil to ask which team's anchor is needed.
    package var anchor: TeamAnchor?
    /// Seconds since 1970.
    package var now: Int64

    package init(signature: [UInt8], digest: ExecutableDigest, anchor: TeamAnchor?, now: Int64) {
        self.signature = signature
        self.digest = digest
        self.anchor = anchor
        self.now = now
    }
}

package enum SignatureVerdict: Hashable, Sendable {
    case claims(SignedClaims)
    /// The signature names this team, and the question came without an anchor. Nothing else in it was checked.
    case needsAnchor(TeamIdentifier)
    /// `detail` is printable, and at most ``SignatureLimits/maximumDetailBytes`` long.
    case defect(SignatureDefect, detail: String)
}

/// Asks whether a file may be a team's anchor.
package struct AnchorQuestion: Hashable, Sendable {
    /// A certificate, PEM or DER.
    package var file: [UInt8]
    /// The team that the anchor has to belong to; nil for the team that its organizational unit names.
    package var team: TeamIdentifier?
    /// Seconds since 1970.
    package var now: Int64

    package init(file: [UInt8], team: TeamIdentifier?, now: Int64) {
        self.file = file
        self.team = team
        self.now = now
    }
}

/// An anchor, and what a person is shown about it.
package struct AnchorReport: Hashable, Sendable {
    package var anchor: TeamAnchor
    /// The distinguished name, printable.
    package var subject: String
    /// Seconds since 1970.
    package var validFrom: Int64
    package var validUntil: Int64

    package init(anchor: TeamAnchor, subject: String, validFrom: Int64, validUntil: Int64) {
        self.anchor = anchor
        self.subject = subject
        self.validFrom = validFrom
        self.validUntil = validUntil
    }
}

/// Verifies signatures and certificates, which strangers have made. The caller holds no lock, since a call may take
/// seconds.
package protocol SignatureVerifying: Sendable {
    /// - Throws: where no worker could verify it; a bad signature is no error.
    func verify(_ question: SignatureQuestion) throws(KeychainError) -> SignatureVerdict
    /// - Throws: `errSecParam` with the reason for a file that cannot be an anchor; and where no worker could read it.
    func examine(_ question: AnchorQuestion) throws(KeychainError) -> AnchorReport
}
