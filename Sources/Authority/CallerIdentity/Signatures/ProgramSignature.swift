import ChatelaineModel
import TrustProtocol

/// The verdict on a program's signature, and how long it holds.
package struct ProgramSignature: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        case claims(SignedClaims, anchoredBy: AnchorOrigin)
        /// The signature does not count; the detail may be empty.
        case defect(SignatureDefect, detail: String)
    }

    /// The path of the signature.
    package let path: String
    /// Nil if the signature could not be read.
    let file: SignatureFile?
    package let digest: ExecutableDigest?
    package let outcome: Outcome
    /// The seconds since 1970 in which the signature need not be judged again.
    let holds: ClosedRange<Int64>
    /// The revision of the configuration under which the signature was judged.
    let revision: UInt64

    package var claims: SignedClaims? {
        if case .claims(let claims, _) = outcome { return claims }
        return nil
    }

    /// Why the signature does not count, as a sentence.
    package var complaint: String? {
        guard case .defect(let defect, let detail) = outcome else { return nil }
        return "the signature \(path) \(defect.sentence)" + (detail.isEmpty ? "" : ": \(detail)")
    }
}
