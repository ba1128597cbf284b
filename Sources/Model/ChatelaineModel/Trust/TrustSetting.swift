/// The decision of a person or the administrator about one certificate (`SecTrustSettings`).
package struct TrustSetting: Hashable, Sendable {
    /// The domain of a setting. The numbers are Apple's and on the wire.
    package enum Domain: UInt8, CBORValue, CaseIterable, Sendable {
        case user = 0
        case admin = 1
        /// The distribution's settings, which cannot be changed here.
        case system = 2
    }

    /// The certificate in DER.
    package var certificate: [UInt8]
    /// The subject in DER, by which a chain finds the certificate.
    package var subject: [UInt8]
    /// Its name for people.
    package var summary: String
    /// The constraints; none at all means ``TrustConstraint/Result/trustRoot`` for everything.
    package var constraints: [TrustConstraint]
    /// Seconds since 1970.
    package var modified: Int64

    package init(
        certificate: [UInt8], subject: [UInt8], summary: String, constraints: [TrustConstraint] = [], modified: Int64
    ) {
        self.certificate = certificate
        self.subject = subject
        self.summary = summary
        self.constraints = constraints
        self.modified = modified
    }
}

/// A purpose for which a certificate is trusted or denied.
package struct TrustConstraint: Hashable, Sendable {
    /// Apple's `SecTrustSettingsResult`. The numbers are on the wire and in files.
    package enum Result: UInt8, CBORValue, Sendable {
        /// Trusted as the root that it is.
        case trustRoot = 1
        /// Trusted as if it were a root.
        case trustAsRoot = 2
        case deny = 3
        /// Neither trusted nor denied: other settings and anchors decide.
        case unspecified = 4
    }

    package var result: Result
    /// Nil for every policy.
    package var policy: TrustPolicy.Purpose?
    /// A host name or e-mail address that the policy has to be for.
    package var policyName: String?
    /// The path of the program for which the constraint counts.
    package var application: String?
    /// A status that is ignored for this certificate.
    package var allowedError: Int64?
    /// Apple's `SecTrustSettingsKeyUsage`.
    package var keyUsage: UInt32?

    package init(
        _ result: Result = .trustRoot, policy: TrustPolicy.Purpose? = nil, policyName: String? = nil,
        application: String? = nil, allowedError: Int64? = nil, keyUsage: UInt32? = nil
    ) {
        self.result = result
        self.policy = policy
        self.policyName = policyName
        self.application = application
        self.allowedError = allowedError
        self.keyUsage = keyUsage
    }

    /// The bit of a key usage for issuing certificates: `useSignCert` and, with all bits, `useAny`.
    private static let issuing: UInt32 = 8

    /// Whether the constraint counts for a chain that is evaluated for a policy.
    ///
    /// ``application`` is not compared here, but where the calling program is known.
    package func concerns(_ asked: TrustPolicy) -> Bool {
        guard keyUsage.map({ $0 & Self.issuing != 0 }) ?? true else { return false }
        return (policy == nil || policy == asked.purpose)
            && (policyName == nil || policyName.map(TrustName.init) == asked.name.map(TrustName.init))
    }
}

extension TrustSetting: CBORValue {
    private enum Field: UInt64, CBORField {
        case certificate = 1
        case subject = 2
        case summary = 3
        case constraints = 4
        case modified = 5
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.certificate, certificate)
            $0.write(Field.subject, subject)
            $0.write(Field.summary, summary)
            $0.writeArray(Field.constraints, constraints)
            $0.write(Field.modified, modified)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            certificate: try map.read(Field.certificate), subject: try map.read(Field.subject),
            summary: try map.read(Field.summary),
            constraints: try map.readArray(Field.constraints, limit: TrustLimits.maximumConstraints),
            modified: try map.read(Field.modified))
        guard certificate.count <= TrustLimits.maximumCertificateBytes, subject.count <= certificate.count,
            summary.utf8.count <= TrustLimits.maximumSummaryBytes
        else { throw .limitExceeded }
        reader = try map.end()
    }
}

extension TrustConstraint: CBORValue {
    private enum Field: UInt64, CBORField {
        case result = 1
        case policy = 2
        case policyName = 3
        case application = 4
        case allowedError = 5
        case keyUsage = 6
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.result, result)
            $0.write(Field.policy, policy)
            $0.write(Field.policyName, policyName)
            $0.write(Field.application, application)
            $0.write(Field.allowedError, allowedError)
            $0.write(Field.keyUsage, keyUsage)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            try map.read(Field.result), policy: try map.readIfPresent(Field.policy),
            policyName: try map.readIfPresent(Field.policyName),
            application: try map.readIfPresent(Field.application),
            allowedError: try map.readIfPresent(Field.allowedError),
            keyUsage: try map.readIfPresent(Field.keyUsage))
        guard policyName?.utf8.count ?? 0 <= TrustLimits.maximumNameBytes,
            application?.utf8.count ?? 0 <= ACLLimits.pathBytes
        else { throw .limitExceeded }
        reader = try map.end()
    }
}
