import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ItemStore

/// Judges certificates for one request.
protocol CertificateEvaluating: Sendable {
    /// The quota of the request, over all keychains that it searches.
    var judgements: CertificateEvaluationQuota { get }
    /// Whether the certificate of the question is good.
    ///
    /// The call may take long, so nothing is held meanwhile.
    func isGood(_ question: TrustQuestion) throws(KeychainError) -> Bool
}

/// Judges certificates that one program searches for (behaviour/certificates.md, 25 and 26), by the trust settings that
/// apply to the program.
struct CertificateEvaluator: CertificateEvaluating {
    let trust: TrustService
    let identities: IdentityService
    let deployment: Deployment
    /// The searching program; nil where it is unknown.
    let caller: Caller?
    let judgements: CertificateEvaluationQuota

    func isGood(_ question: TrustQuestion) throws(KeychainError) -> Bool {
        try question.checkSize()
        // A certificate that ends trustd is bad, and keeps no other certificate from being found.
        return try trust.evaluateAlone(question, for: caller?.identity.executablePath.text) {
            () throws(KeychainError) in try identities.trustLedger(of: deployment)
        }?.isTrusted ?? false
    }
}

/// The verdicts of one search.
///
/// Each question is work of a process, during which nothing of a keychain is held.
struct CertificateVerdicts {
    let terms: CertificateTerms
    let judge: (any CertificateEvaluating)?
    private var known: [ItemIdentifier: Bool] = [:]
    private var issuers = StoredIssuers()

    init(_ terms: CertificateTerms, _ judge: (any CertificateEvaluating)?) { (self.terms, self.judge) = (terms, judge) }

    /// Whether a certificate meets the terms.
    ///
    /// It is read only now, so that one search never holds many certificates.
    ///
    /// - Parameter look: finds the certificate and its possible issuers.
    /// - Throws: see ``CertificateEvaluationQuota/verdict(on:_:)``.
    mutating func admits(_ identifier: ItemIdentifier, _ look: RowSearch) throws(KeychainError) -> Bool {
        guard terms.needVerdict else { return true }
        if let known = known[identifier] { return known }
        guard let judge else { throw KeychainError(.notAvailable, "nobody here judges certificates") }
        var query = ItemQuery(itemClass: .certificate)
        query.items = [identifier]
        (query.synchronizable, query.returns) = (.any, [.attributes, .data])
        // A certificate that was deleted meanwhile does not count.
        guard let certificate = try look(query).first else { return false }
        let der = certificate.secret?.withUnsafeBytes { [UInt8]($0) } ?? []
        // A certificate that an evaluation cannot take is not trusted.
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
    /// Certificates as one program finds them.
    init(
        _ services: Services, for caller: Caller?, within judgements: CertificateEvaluationQuota
    ) {
        self.init(
            service: services.certificates,
            judge: CertificateEvaluator(
                trust: services.trust, identities: services.identities, deployment: services.deployment, caller: caller,
                judgements: judgements))
    }
}
