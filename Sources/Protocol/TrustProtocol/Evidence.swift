import ChatelaineModel

/// Where somebody may have what an evaluation lacks, as a certificate names it.
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
    /// Of `http`, in ASCII.
    package var url: String
    /// The question of OCSP, DER; empty for the others.
    package var request: [UInt8]

    package init(_ kind: Kind, at url: String, request: [UInt8] = []) {
        self.kind = kind
        self.url = url
        self.request = request
    }
}

/// One thing that an evaluation lacks.
package struct EvidenceNeed: Hashable, Sendable {
    /// Any of them may have it; the first is to be asked first.
    package var sources: [EvidenceSource]

    package init(_ sources: [EvidenceSource]) { self.sources = sources }
}

/// What servers have answered. None of its bytes was looked at, and an issuer of these is never an anchor.
package struct FetchedEvidence: Hashable, Sendable {
    /// DER, of OCSP.
    package var responses: [[UInt8]] = []
    /// DER, lists of revoked certificates.
    package var revocationLists: [[UInt8]] = []
    /// DER of a certificate, or of a list of certificates (RFC 5652, 5).
    package var issuers: [[UInt8]] = []

    package init() {}

    package var isEmpty: Bool { responses.isEmpty && revocationLists.isEmpty && issuers.isEmpty }
}

/// A verdict, and what could change it.
package struct TrustJudgement: Hashable, Sendable {
    package var verdict: TrustVerdict
    /// Nothing where the question allows no fetching. What is about a certificate nearer to the anchor comes first.
    package var needs: [EvidenceNeed]
    /// Seconds since 1970 before which the same question has the same answer; nil where that is not known.
    package var unchangedUntil: Int64?

    package init(_ verdict: TrustVerdict, needs: [EvidenceNeed] = [], unchangedUntil: Int64? = nil) {
        self.verdict = verdict
        self.needs = needs
        self.unchangedUntil = unchangedUntil
    }
}

/// Bounds of what one evaluation can make this machine ask for.
package enum EvidenceLimits {
    /// Things that lack at one time: about each certificate of a chain one, and an issuer.
    package static let maximumNeeds = TrustLimits.maximumChain
    /// Of one thing; authorities name two or three.
    package static let maximumSources = 4
    /// As much as is asked for at all.
    package static let maximumURLBytes = 2048
    /// About one certificate: four names of a hash, and a serial number.
    package static let maximumRequestBytes = 1024
    /// Answers of one kind that come with a question.
    package static let maximumAnswers = 2 * TrustLimits.maximumChain
    /// Bytes of all answers and lists that were fetched for one evaluation.
    package static let maximumFetchedBytes = 2 * TrustLimits.maximumRevocationBytes
    /// Bytes of all issuers that were fetched for one evaluation. Names of roots and settings are searched for in them; messages of large bridges have half of it.
    package static let maximumIssuerBytes = 256 * 1024
}
