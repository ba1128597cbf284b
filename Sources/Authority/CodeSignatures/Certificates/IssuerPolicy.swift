import SwiftASN1
import X509

/// Checks what RFC 5280 requires of issuers and swift-certificates does not check: that their keys may sign
/// certificates for code signers.
struct IssuerPolicy: VerifierPolicy {
    /// ``SignerChain`` checks the signer's own extension.
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [.X509ExtensionID.extendedKeyUsage]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        for (index, issuer) in chain.enumerated().dropFirst() {
            guard issuer.version == .v3, issuer.isAuthority, issuer.allows(\.keyCertSign) else {
                return .failsToMeetPolicy(reason: "certificate \(index + 1) may not issue certificates")
            }
            do {
                let usages = try issuer.extensions.extendedKeyUsage
                guard usages?.contains(where: { $0 == .codeSigning || $0 == .any }) ?? true else {
                    return .failsToMeetPolicy(reason: "certificate \(index + 1) is not for signers of code")
                }
            } catch {
                return .failsToMeetPolicy(reason: "certificate \(index + 1) has a usage that cannot be read")
            }
        }
        return .meetsPolicy
    }
}
