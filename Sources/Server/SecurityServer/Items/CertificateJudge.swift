import CallerIdentity
import ChatelaineModel
import ItemStore
import Synchronization

/// Whoever judges certificates for one request.
protocol CertificateJudging: Sendable {
    /// Of the request, whichever keychains it looks into.
    var budget: JudgementBudget { get }
    /// Whether what is asked about is good; it takes as long as it takes, and nothing is held meanwhile.
    func isGood(_ question: TrustQuestion) throws(KeychainError) -> Bool
}

/// Has certificates judged that one program looks for (behaviour/certificates.md, 25 and 26), with what the program is told to trust.
struct CertificateJudge: CertificateJudging {
    let trust: TrustService
    let identities: IdentityService
    /// Who looks for them; nil where nobody knows.
    let caller: Caller?
    let budget: JudgementBudget

    func isGood(_ question: TrustQuestion) throws(KeychainError) -> Bool {
        try question.checkSize()
        return try trust.evaluateAlone(question, for: caller?.identity.executablePath.text) {
            () throws(KeychainError) in try identities.openLedger()
        }.isTrusted
    }
}

/// How many certificates may yet be judged for one request.
final class JudgementBudget: Sendable {
    private let left = Atomic(CertificateLimits.maximumJudged)

    /// - Returns: whether one more may be.
    func take() -> Bool { left.subtract(1, ordering: .relaxed).oldValue > 0 }
}

/// What of one search was judged so far. Each question is work of a process, while nothing of a keychain is held.
struct CertificateVerdicts {
    let terms: CertificateTerms
    let judge: (any CertificateJudging)?
    private var known: [ItemIdentifier: Bool] = [:]
    private var issuers = StoredIssuers()

    init(_ terms: CertificateTerms, _ judge: (any CertificateJudging)?) { (self.terms, self.judge) = (terms, judge) }

    /// Whether a certificate is as the terms say.
    ///
    /// - Parameters:
    ///   - certificate: with its attributes and its bytes.
    ///   - look: finds what may stand above it.
    /// - Throws: `errSecParam` where more would have to be judged than one request may: an answer without the rest would say that there is none.
    mutating func admits(_ certificate: FoundItem, _ look: RowSearch) throws(KeychainError) -> Bool {
        guard terms.needVerdict else { return true }
        if let known = known[certificate.identifier] { return known }
        guard let judge else { throw KeychainError(.notAvailable, "nobody here judges certificates") }
        let der = certificate.secret?.withUnsafeBytes { [UInt8]($0) } ?? []
        // What an evaluation does not look at is trusted by nobody.
        guard !der.isEmpty, der.count <= TrustLimits.maximumCertificateBytes else {
            known[certificate.identifier] = false
            return false
        }
        guard judge.budget.take() else {
            throw KeychainError(
                .param,
                "more than \(CertificateLimits.maximumJudged) certificates would have to be judged for one search: narrow it by other keys"
            )
        }
        let question = try terms.question(about: der) { () throws(KeychainError) in
            try issuers.above(certificate, der, look)
        }
        let isGood = try judge.isGood(question)
        known[certificate.identifier] = isGood
        return isGood
    }
}

/// Certificates by their subjects, which may stand above those that are judged: of the same keychain, such as the program may see.
private struct StoredIssuers {
    private struct Issuer {
        let der: [UInt8]
        let issuer: AttributeValue?
    }

    /// As far as they were looked for.
    private var known: [AttributeValue: [Issuer]] = [:]

    /// Those of its issuer, theirs, and so on, as far as there is room in a question.
    mutating func above(
        _ certificate: FoundItem, _ der: [UInt8], _ look: RowSearch
    ) throws(KeychainError) -> [[UInt8]] {
        var above: [[UInt8]] = []
        var seen: Set<[UInt8]> = [der]
        var room = TrustLimits.maximumQuestionBytes - der.count
        var names = [certificate.attributes[.issuer]].compactMap { $0 }
        for _ in 0..<CertificateLimits.maximumChain {
            var next: [AttributeValue] = []
            for name in names {
                for issuer in try named(name, look) where seen.insert(issuer.der).inserted {
                    guard above.count < TrustLimits.maximumCertificates - 1, issuer.der.count <= room else {
                        return above
                    }
                    above.append(issuer.der)
                    room -= issuer.der.count
                    if let name = issuer.issuer { next.append(name) }
                }
            }
            guard !next.isEmpty else { break }
            names = next
        }
        return above
    }

    private mutating func named(_ subject: AttributeValue, _ look: RowSearch) throws(KeychainError) -> [Issuer] {
        if let known = known[subject] { return known }
        var query = ItemQuery(itemClass: .certificate)
        query.attributes[.subject] = subject
        (query.synchronizable, query.limit, query.returns) = (.any, .all, [.attributes, .data])
        let found = try look(query).compactMap { item -> Issuer? in
            guard let der = item.secret?.withUnsafeBytes({ [UInt8]($0) }), !der.isEmpty,
                der.count <= TrustLimits.maximumCertificateBytes
            else { return nil }
            return Issuer(der: der, issuer: item.attributes[.issuer])
        }
        known[subject] = found
        return found
    }
}

extension CertificateItems {
    /// As one program finds them.
    init(_ services: Services, for caller: Caller?, within budget: JudgementBudget) {
        self.init(
            service: services.certificates,
            judge: CertificateJudge(
                trust: services.trust, identities: services.identities, caller: caller, budget: budget))
    }
}
