import ChatelaineModel

/// A server that may have what an evaluation lacks, as a certificate names it.
package struct EvidenceSource: Hashable, Sendable {
    /// The numbers are on the wire.
    package enum Kind: UInt8, CBORValue, CaseIterable, Sendable {
        /// An answer of OCSP (RFC 6960).
        case response = 1
        /// A list of revoked certificates (RFC 5280, 5).
        case list = 2
        /// The certificate of an issuer (RFC 5280, 4.2.2.1).
        case issuer = 3
    }

    package var kind: Kind
    /// An `http` URL, in ASCII.
    package var url: String
    /// The OCSP request, DER; empty for the other kinds.
    package var request: [UInt8]

    package init(_ kind: Kind, at url: String, request: [UInt8] = []) {
        self.kind = kind
        self.url = url
        self.request = request
    }
}

/// One piece of evidence that an evaluation lacks.
package struct EvidenceNeed: Hashable, Sendable {
    /// The servers that may have the evidence; the first is to be asked first.
    package var sources: [EvidenceSource]

    package init(_ sources: [EvidenceSource]) { self.sources = sources }
}

/// The answers of servers. Nothing in them is verified yet, and an issuer among them is never an anchor.
package struct FetchedEvidence: Hashable, Sendable {
    /// OCSP responses, DER.
    package var responses: [[UInt8]] = []
    /// Lists of revoked certificates, DER.
    package var revocationLists: [[UInt8]] = []
    /// Certificates, or lists of certificates (RFC 5652, 5), DER.
    package var issuers: [[UInt8]] = []

    package init() {}

    package var isEmpty: Bool { responses.isEmpty && revocationLists.isEmpty && issuers.isEmpty }
}

/// A verdict, with the evidence that could change it.
package struct TrustJudgement: Hashable, Sendable {
    package var verdict: TrustVerdict
    /// The evidence that is missing; empty where the question allows no fetching. Evidence about certificates nearer to
    /// the anchor comes first.
    package var needs: [EvidenceNeed]
    /// Seconds since 1970 until which the same question has the same answer; nil where that is not known.
    package var unchangedUntil: Int64?

    package init(_ verdict: TrustVerdict, needs: [EvidenceNeed] = [], unchangedUntil: Int64? = nil) {
        self.verdict = verdict
        self.needs = needs
        self.unchangedUntil = unchangedUntil
    }
}

/// Limits on what one evaluation can make this machine fetch.
package enum EvidenceLimits {
    /// Pieces of evidence that are missing at one time: one about each certificate of a chain, and an issuer.
    package static let maximumNeeds = TrustLimits.maximumChain
    /// Servers for one piece of evidence; authorities name two or three.
    package static let maximumSources = 4
    /// The length up to which URLs are fetched at all.
    package static let maximumURLBytes = 2048
    /// An OCSP request about one certificate: the hash algorithm, hashes of the issuer's name and key, and a serial
    /// number.
    package static let maximumRequestBytes = 1024
    /// Answers of one kind that come with a question.
    package static let maximumAnswers = 2 * TrustLimits.maximumChain
    /// Bytes of all OCSP responses and lists that were fetched for one evaluation.
    package static let maximumFetchedBytes = 2 * TrustLimits.maximumRevocationBytes
    /// Bytes of all issuers that were fetched for one evaluation. The names of roots and settings are searched for in
    /// them; messages of large bridges have half as many.
    package static let maximumIssuerBytes = 256 * 1024
}
