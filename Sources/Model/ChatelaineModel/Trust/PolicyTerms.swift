/// The conditions on certificates for one purpose: a row of the table of policies.
///
/// A new policy is a case of ``TrustPolicy/Purpose`` and a row here.
package struct PolicyTerms: Sendable {
    /// What the name in a policy is compared with.
    package enum Names: Sendable {
        /// The policy has no name.
        case none
        /// A name is accepted and ignored, as it always was.
        case passedOver
        case hosts
        case emailAddresses
    }

    /// Whether the certificate has to have an extended key usage.
    package enum Demand: Sendable {
        /// A certificate without one is for every purpose.
        case none
        case present
        /// Required of a server's certificate that begins after the validity of such certificates was limited.
        case presentOfServers
        /// Required, and with no other purpose in it.
        case alone
    }

    /// Apple's identifier of the policy, after the arc of its policies.
    let arc: String
    /// Apple's word for the policy in options of `security`; nil if no option takes it.
    package let word: String?
    package var names = Names.none
    /// Whether the policy distinguishes server and client.
    package var hasEnds = false
    /// Identifiers of extended key usages, one of which suffices; those of a server if the policy distinguishes the two
    /// ends.
    ///
    /// It is empty if certificates cannot exclude the purpose.
    fileprivate var purposes: [String] = []
    /// The same identifiers for a client; nil if they are those of a server.
    fileprivate var clientPurposes: [String]?
    package var demand = Demand.none
    /// Key usages, as bits of `SecKeyUsage`, one of which suffices if a certificate names any; nil for every usage.
    package var keyUsage: UInt64?

    package func purposes(isClient: Bool) -> [String] { isClient ? clientPurposes ?? purposes : purposes }

    /// Whether certificates can exclude the purpose.
    package var hasPurposes: Bool { !purposes.isEmpty }

    /// Whether the name of a policy is compared with certificates, if it has one.
    package var looksAtNames: Bool {
        switch names {
        case .hosts, .emailAddresses: true
        case .none, .passedOver: false
        }
    }
}

extension TrustPolicy.Purpose {
    package var terms: PolicyTerms {
        switch self {
        case .basic: PolicyTerms(arc: "2", word: "basic", names: .passedOver)
        case .ssl:
            PolicyTerms(
                arc: "3", word: "ssl", names: .hosts, hasEnds: true, purposes: [Usage.serverAuth],
                clientPurposes: [Usage.clientAuth], demand: .presentOfServers, keyUsage: Key.connecting)
        case .smime:
            PolicyTerms(
                arc: "8", word: "smime", names: .emailAddresses, purposes: [Usage.emailProtection],
                keyUsage: Key.connecting | Key.nonRepudiation)
        // EAP over a LAN has a usage of its own (RFC 4334).
        case .eap:
            PolicyTerms(
                arc: "9", word: "eap", names: .hosts, hasEnds: true,
                purposes: [Usage.serverAuth, Usage.eapOverLAN], clientPurposes: [Usage.clientAuth, Usage.eapOverLAN],
                keyUsage: Key.connecting)
        // A certificate for the end of a tunnel may use any of these usages (RFC 4945).
        case .ipsec:
            PolicyTerms(
                arc: "11", word: "IPSec", names: .hosts, hasEnds: true,
                purposes: [
                    "1.3.6.1.5.5.7.3.17", "1.3.6.1.5.5.7.3.5", "1.3.6.1.5.5.7.3.6", "1.3.6.1.5.5.7.3.7",
                    "1.3.6.1.5.5.8.2.2", Usage.serverAuth,
                ], keyUsage: Key.connecting)
        case .codeSigning:
            PolicyTerms(
                arc: "16", word: "codeSign", names: .passedOver, purposes: [Usage.codeSigning], demand: .present,
                keyUsage: Key.digitalSignature)
        // A certificate for time stamps is for nothing else (RFC 3161, 2.3).
        case .timeStamping:
            PolicyTerms(
                arc: "20", word: "timestamping", names: .passedOver, purposes: [Usage.timeStamping], demand: .alone,
                keyUsage: Key.digitalSignature | Key.nonRepudiation)
        case .revocation: PolicyTerms(arc: "21", word: nil)
        // Kerberos with certificates (RFC 4556, 3.2.2 and 3.2.4).
        case .pkinitClient:
            PolicyTerms(
                arc: "14", word: "pkinitClient", purposes: ["1.3.6.1.5.2.3.4"], demand: .present,
                keyUsage: Key.digitalSignature)
        case .pkinitServer:
            PolicyTerms(
                arc: "15", word: "pkinitServer", purposes: ["1.3.6.1.5.2.3.5"], demand: .present,
                keyUsage: Key.digitalSignature | Key.keyEncipherment)
        }
    }

    /// Apple's identifier of the policy, `kSecPolicyOid`.
    package var identifier: String { Self.root + terms.arc }

    package init?(identifier: String) {
        guard let purpose = Self.allCases.first(where: { $0.identifier == identifier }) else { return nil }
        self = purpose
    }

    /// Apple's arc of policies.
    private static let root = "1.2.840.113635.100.1."

    /// Extended key usages of RFC 5280, and one of RFC 4334.
    private enum Usage {
        static let serverAuth = "1.3.6.1.5.5.7.3.1"
        static let clientAuth = "1.3.6.1.5.5.7.3.2"
        static let codeSigning = "1.3.6.1.5.5.7.3.3"
        static let emailProtection = "1.3.6.1.5.5.7.3.4"
        static let timeStamping = "1.3.6.1.5.5.7.3.8"
        static let eapOverLAN = "1.3.6.1.5.5.7.3.14"
    }

    /// Bits of `SecKeyUsage`.
    private enum Key {
        static let digitalSignature: UInt64 = 1 << 0
        static let nonRepudiation: UInt64 = 1 << 1
        static let keyEncipherment: UInt64 = 1 << 2
        static let keyAgreement: UInt64 = 1 << 4
        /// For an end that proves its identity during a key exchange.
        static let connecting = digitalSignature | keyEncipherment | keyAgreement
    }
}
