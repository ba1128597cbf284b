import ChatelaineModel
import TrustProtocol

/// What a signature makes of a program, and how long that holds.
package struct ProgramSignature: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        case claims(SignedClaims, anchoredBy: AnchorOrigin)
        /// It counts for nothing; the detail may be empty.
        case defect(SignatureDefect, detail: String)
    }

    /// Where the signature lies.
    package let path: String
    /// Nil where it could not be read.
    let file: SignatureFile?
    package let digest: ExecutableDigest?
    package let outcome: Outcome
    /// Seconds since 1970 between which it need not be judged again.
    let holds: ClosedRange<Int64>
    /// Of the configuration under which it was judged.
    let revision: UInt64

    package var claims: SignedClaims? {
        if case .claims(let claims, _) = outcome { return claims }
        return nil
    }

    /// Why it does not count, as a sentence.
    package var complaint: String? {
        guard case .defect(let defect, let detail) = outcome else { return nil }
        return "the signature \(path) \(defect.sentence)" + (detail.isEmpty ? "" : ": \(detail)")
    }
}

/// Who has said that an anchor is a team's.
package enum AnchorOrigin: Sendable {
    /// Root, below `/etc`.
    case root
    /// The person, by `security app team add`.
    case person
}
