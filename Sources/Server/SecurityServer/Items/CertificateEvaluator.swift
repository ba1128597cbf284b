import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ItemStore

/// Whoever judges certificates for one request.
protocol CertificateEvaluating: Sendable {
    /// Of the request, whichever keychains it looks into.
    var judgements: CertificateEvaluationQuota { get }
    /// Whether what is asked about is good; it takes as long as it takes, and nothing is held meanwhile.
    func isGood(_ question: TrustQuestion) throws(KeychainError) -> Bool
}

/// Has certificates judged that one program looks for (behaviour/certificates.md, 25 and 26), with what the program is told to trust.
struct CertificateEvaluator: CertificateEvaluating {
    let trust: TrustService
    let identities: IdentityService
    let deployment: Deployment
    /// Who looks for them; nil where nobody knows.
    let caller: Caller?
    let judgements: CertificateEvaluationQuota

    func isGood(_ question: TrustQuestion) throws(KeychainError) -> Bool {
        try question.checkSize()
        // Whoever ends trustd with one certificate makes that one bad, and keeps no other from being found.
        return try trust.evaluateAlone(question, for: caller?.identity.executablePath.text) {
            () throws(KeychainError) in try identities.trustLedger(of: deployment)
        }?.isTrusted ?? false
    }
}

/// What of one search was judged so far. Each question is work of a process, while nothing of a keychain is held.
struct CertificateVerdicts {
    let terms: CertificateTerms
    let judge: (any CertificateEvaluating)?
    private var known: [ItemIdentifier: Bool] = [:]
    private var issuers = StoredIssuers()

    init(_ terms: CertificateTerms, _ judge: (any CertificateEvaluating)?) { (self.terms, self.judge) = (terms, judge) }

    /// Whether a certificate is as the terms say. It is read now, so that one search never holds many of them.
    ///
    /// - Parameter look: finds it, and what may stand above it.
    /// - Throws: see ``CertificateEvaluationQuota/verdict(on:_:)``.
    mutating func admits(_ identifier: ItemIdentifier, _ look: RowSearch) throws(KeychainError) -> Bool {
        guard terms.needVerdict else { return true }
        if let known = known[identifier] { return known }
        guard let judge else { throw KeychainError(.notAvailable, "nobody here judges certificates") }
        var query = ItemQuery(itemClass: .certificate)
        query.items = [identifier]
        (query.synchronizable, query.returns) = (.any, [.attributes, .data])
        // One that was deleted meanwhile is none.
        guard let certificate = try look(query).first else { return false }
        let der = certificate.secret?.withUnsafeBytes { [UInt8]($0) } ?? []
        // What an evaluation does not look at is trusted by nobody.
        guard !der.isEmpty, der.count <= TrustLimits.maximumCertificateBytes else {
            known[identifier] = false
            return false
        }
        let question = try terms.question(about: der) { () throws(KeychainError) in
            try issuers.above(certificate, der, look)
        }
        let isGood = try judge.judgements.verdict(on: question) { (question) throws(KeychainError) in
            try judge.isGood(question)
        }
        known[identifier] = isGood
        return isGood
    }
}

extension CertificateItems {
    /// As one program finds them.
    init(_ services: Services, for caller: Caller?, within judgements: CertificateEvaluationQuota) {
        self.init(
            service: services.certificates,
            judge: CertificateEvaluator(
                trust: services.trust, identities: services.identities, deployment: services.deployment, caller: caller,
                judgements: judgements))
    }
}
