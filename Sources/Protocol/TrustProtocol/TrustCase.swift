import ChatelaineModel

/// A program's question about trust, with what securityd knows about the certificates in it.
package struct TrustCase: Hashable, Sendable {
    package var question: TrustQuestion
    /// Certificates of the distribution (DER) whose subjects the question names.
    package var roots: [[UInt8]]
    /// Settings, the person's before the administrator's: the first domain with a setting for a certificate counts.
    package var settings: [Setting]
    /// Seconds since 1970.
    package var now: Int64
    /// The evidence that was fetched because an earlier evaluation lacked it.
    package var fetched = FetchedEvidence()

    /// A trust setting for one certificate that concerns the caller.
    package struct Setting: Hashable, Sendable {
        package var domain: TrustSetting.Domain
        package var certificate: [UInt8]
        package var constraints: [TrustConstraint]

        package init(_ domain: TrustSetting.Domain, certificate: [UInt8], constraints: [TrustConstraint]) {
            self.domain = domain
            self.certificate = certificate
            self.constraints = constraints
        }
    }

    package init(_ question: TrustQuestion, roots: [[UInt8]] = [], settings: [Setting] = [], now: Int64) {
        self.question = question
        self.roots = roots
        self.settings = settings
        self.now = now
    }

    /// The moment for which certificates have to be valid.
    package var date: Int64 { question.date ?? now }
}

extension TrustCase: CBORValue {
    private enum Field: UInt64, CBORField {
        case question = 1
        case roots = 2
        case settings = 3
        case now = 4
        case fetched = 5
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.question, question)
            $0.writeArray(Field.roots, roots)
            $0.writeArray(Field.settings, settings)
            $0.write(Field.now, now)
            $0.write(Field.fetched, fetched)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            try map.read(Field.question), roots: try map.readArray(Field.roots, limit: TrustLimits.maximumRoots),
            settings: try map.readArray(Field.settings, limit: 2 * TrustLimits.maximumSettings),
            now: try map.read(Field.now))
        fetched = try map.read(Field.fetched)
        reader = try map.end()
    }
}

extension TrustCase.Setting: CBORValue {
    private enum Field: UInt64, CBORField {
        case certificate = 1
        case constraints = 2
        case domain = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.certificate, certificate)
            $0.writeArray(Field.constraints, constraints)
            $0.write(Field.domain, domain)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let certificate: [UInt8] = try map.read(Field.certificate)
        let constraints: [TrustConstraint] = try map.readArray(
            Field.constraints, limit: TrustLimits.maximumConstraints)
        self.init(try map.read(Field.domain), certificate: certificate, constraints: constraints)
        reader = try map.end()
    }
}

/// A certificate of the distribution's file, which root wrote.
package struct TrustRoot: Hashable, Sendable {
    /// DER.
    package var certificate: [UInt8]
    /// The certificate's subject (DER), which a chain below it names as the issuer.
    package var subject: [UInt8]
    /// A description for people.
    package var summary: String

    package init(certificate: [UInt8], subject: [UInt8], summary: String) {
        self.certificate = certificate
        self.subject = subject
        self.summary = summary
    }
}

extension TrustRoot: CBORValue {
    private enum Field: UInt64, CBORField {
        case certificate = 1
        case subject = 2
        case summary = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.certificate, certificate)
            $0.write(Field.subject, subject)
            $0.write(Field.summary, summary)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let certificate: [UInt8] = try map.read(Field.certificate)
        let subject: [UInt8] = try map.read(Field.subject)
        try map.find(Field.summary)
        self.init(
            certificate: certificate, subject: subject,
            summary: try map.reader.readText(limit: TrustLimits.maximumSummaryBytes))
        guard certificate.count <= TrustLimits.maximumCertificateBytes else { throw .limitExceeded }
        reader = try map.end()
    }
}
