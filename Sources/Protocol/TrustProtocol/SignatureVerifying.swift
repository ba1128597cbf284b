import ChatelaineModel

/// What a signature says of an executable, with the anchor of its team where that is known.
package struct SignatureQuestion: Hashable, Sendable {
    /// All bytes of the file `NAME.codesig`.
    package var signature: [UInt8]
    package var digest: ExecutableDigest
    /// Nil asks which team's anchor is wanted.
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
    /// The signature names this team, and no anchor came with the question. Nothing else of it was checked.
    case needsAnchor(TeamIdentifier)
    /// `detail` is printable, and at most ``SignatureLimits/maximumDetailBytes`` long.
    case defect(SignatureDefect, detail: String)
}

/// Whether a file may be a team's anchor.
package struct AnchorQuestion: Hashable, Sendable {
    /// A certificate, PEM or DER.
    package var file: [UInt8]
    /// The team that it has to be for; nil for the one that its organizational unit names.
    package var team: TeamIdentifier?
    /// Seconds since 1970.
    package var now: Int64

    package init(file: [UInt8], team: TeamIdentifier?, now: Int64) {
        self.file = file
        self.team = team
        self.now = now
    }
}

/// An anchor and what a person is shown of it.
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

/// Looks at signatures and certificates, which strangers have made. Whoever calls it holds no lock: it may take seconds.
package protocol SignatureVerifying: Sendable {
    /// - Throws: where nobody could look, and never for what was looked at.
    func verify(_ question: SignatureQuestion) throws(KeychainError) -> SignatureVerdict
    /// - Throws: `errSecParam` for a file that can be no anchor, with the reason; and where nobody could look.
    func examine(_ question: AnchorQuestion) throws(KeychainError) -> AnchorReport
}
