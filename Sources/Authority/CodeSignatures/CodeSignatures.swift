/// Signatures of executables: what makes one, and what says whether one counts (`Documentation/formats/codesig.md`).
///
/// swift-certificates judges chains, jwt-kit makes and checks what is signed. What neither asks is here: that no name stands twice in the
/// JSON, that a header brings no key of its own, whose certificate it is, that all names are the team's, and the limits.
///
/// The bytes of a signature are a stranger's. In daemons ``SignatureVerifier`` runs in `trustd` alone, which is shut in and ends after one question.
package enum CodeSignatures {}
