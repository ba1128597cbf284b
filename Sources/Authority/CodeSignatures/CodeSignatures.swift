/// Signatures of executables: how they are made and verified (`Documentation/formats/codesig.md`).
///
/// swift-certificates validates chains, and jwt-kit makes and verifies JWS signatures. This module adds the checks that
/// neither makes. No name may occur twice in the JSON, and no header may bring its own key. The certificate and all
/// names must be the team's. Sizes and counts have limits.
///
/// The bytes of a signature come from a stranger. In daemons, ``SignatureVerifier`` runs only in `trustd`, which is
/// sandboxed and whose workers end after one question.
package enum CodeSignatures {}
