import SwiftASN1
import X509

/// What RFC 5280 asks of issuers and swift-certificates leaves to others: that their keys may sign certificates, and may do so for programs.
struct IssuerPolicy: VerifierPolicy {
    /// The signer's was looked at before.
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
