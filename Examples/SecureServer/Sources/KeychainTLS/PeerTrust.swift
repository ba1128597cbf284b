import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Security

/// Whether a peer's certificates are trusted: by the roots of this machine, and those that were added to them.
public enum PeerTrust {
    /// What swift-nio-ssl calls with the certificates of whoever is at the other end.
    ///
    /// - Parameter host: the name that the certificate has to be for; nil for a client's.
    public static func judge(host: String?) -> NIOSSLCustomVerificationCallback {
        { certificates, verdict in
            // An evaluation waits for another process, and no event loop may wait.
            NIOThreadPool.singleton.runIfActive(eventLoop: verdict.futureResult.eventLoop) {
                evaluate(certificates, host: host)
            }.cascade(to: verdict)
        }
    }

    private static func evaluate(_ certificates: [NIOSSLCertificate], host: String?) -> NIOSSLVerificationResult {
        let chain = certificates.compactMap { certificate in
            (try? certificate.toDERBytes()).flatMap { SecCertificateCreateWithData(nil, Data($0) as CFData) }
        }
        var trust: SecTrust?
        let policy = SecPolicyCreateSSL(host != nil, host as CFString?)
        guard chain.count == certificates.count, !chain.isEmpty,
            SecTrustCreateWithCertificates(chain as CFArray, policy, &trust) == errSecSuccess, let trust,
            SecTrustEvaluateWithError(trust, nil)
        else { return .failed }
        return .certificateVerified
    }
}
