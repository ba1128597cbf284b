/// The result of an evaluation of trust.
package struct TrustVerdict: Hashable, Sendable {
    /// Apple's `SecTrustResultType`. The numbers are on the wire.
    package enum Result: UInt8, CBORValue, Sendable {
        case invalid = 0
        /// A setting of the person or the administrator trusts the chain.
        case proceed = 1
        /// A setting denies the chain.
        case deny = 3
        /// The chain ends at an anchor, and no setting concerns it.
        case unspecified = 4
        /// The chain is not trusted, and a program may make an exception.
        case recoverableTrustFailure = 5
        case fatalTrustFailure = 6
        case otherError = 7
    }

    /// One certificate of the chain.
    package struct Link: Hashable, Sendable {
        /// DER.
        package var certificate: [UInt8]
        /// The name of the subject for people; printable.
        package var summary: String
        /// The defects in the order in which they are shown.
        package var defects: [TrustDefect]

        package init(certificate: [UInt8], summary: String, defects: [TrustDefect] = []) {
            self.certificate = certificate
            self.summary = summary
            self.defects = defects
        }
    }

    /// The public key of the first certificate.
    package struct Key: Hashable, Sendable {
        /// The numbers are on the wire.
        package enum Kind: UInt8, CBORValue, Sendable {
            case rsa = 1
            case p256 = 2
            case p384 = 3
            case p521 = 4
            case ed25519 = 5
        }

        package var kind: Kind
        /// The representation that `SecKeyCopyExternalRepresentation` returns.
        package var bytes: [UInt8]

        package init(_ kind: Kind, _ bytes: [UInt8]) {
            self.kind = kind
            self.bytes = bytes
        }
    }

    package var result: Result
    /// The chain: the certificate that was evaluated, then its issuers.
    package var chain: [Link]
    package var key: Key?
    /// The time until which proof of no revocation holds, in seconds since 1970; nil without proof for the first
    /// certificate.
    ///
    /// It covers every certificate of the chain for which there is proof.
    package var goodUntil: Int64?

    package init(result: Result, chain: [Link], key: Key? = nil, goodUntil: Int64? = nil) {
        self.result = result
        self.chain = chain
        self.key = key
        self.goodUntil = goodUntil
    }

    package var isTrusted: Bool { result == .proceed || result == .unspecified }

    /// The defect that is reported if a program asks for one: the most serious, and of equal ones that of the
    /// certificate nearest to the first.
    package var firstDefect: (defect: TrustDefect, summary: String)? {
        let all = chain.flatMap { link in link.defects.map { (defect: $0, summary: link.summary) } }
        return all.min { $0.defect.seriousness < $1.defect.seriousness }
    }

    /// All defects of all certificates, one sentence for each certificate that has some.
    package var allDefects: String {
        chain.enumerated().filter { !$0.element.defects.isEmpty }.map { index, link in
            TrustDefect.sentence(of: link.defects, link.summary, at: index)
        }.joined()
    }
}

extension TrustVerdict: CBORValue {
    private enum Field: UInt64, CBORField {
        case result = 1
        case chain = 2
        case keyKind = 3
        case key = 4
        case goodUntil = 5
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.result, result)
            $0.writeArray(Field.chain, chain)
            $0.write(Field.keyKind, key?.kind)
            $0.write(Field.key, key?.bytes)
            $0.write(Field.goodUntil, goodUntil)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            result: try map.read(Field.result),
            chain: try map.readArray(Field.chain, limit: TrustLimits.maximumChain))
        if let kind: Key.Kind = try map.readIfPresent(Field.keyKind) {
            key = Key(kind, try map.read(Field.key))
        }
        goodUntil = try map.readIfPresent(Field.goodUntil)
        reader = try map.end()
        // A chain with a defect is not trusted, and one that is not trusted has a defect.
        guard !chain.isEmpty, isTrusted == (firstDefect == nil) else { throw .outOfRange }
    }
}

extension TrustVerdict.Link: CBORValue {
    private enum Field: UInt64, CBORField {
        case certificate = 1
        case summary = 2
        case defects = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.certificate, certificate)
            $0.write(Field.summary, summary)
            $0.writeArray(Field.defects, defects)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let certificate: [UInt8] = try map.read(Field.certificate)
        try map.find(Field.summary)
        let summary = try map.reader.readText(limit: TrustLimits.maximumSummaryBytes)
        self.init(
            certificate: certificate, summary: summary,
            defects: try map.readArray(Field.defects, limit: TrustDefect.allCases.count))
        guard certificate.count <= TrustLimits.maximumCertificateBytes else { throw .limitExceeded }
        reader = try map.end()
    }
}
