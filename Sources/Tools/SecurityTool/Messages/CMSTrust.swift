import ChatelaineModel

/// Evaluates trust in the certificates of a message's signers.
struct CMSTrust {
    struct Verdict {
        /// The signer's name for people, safe between quotation marks.
        var name: String
        var isTrusted: Bool
        /// The result in words.
        var sentence: String
    }

    private let verb: CMSVerb
    private let policy: TrustPolicy
    /// Certificates for building chains: those of the message and of the keychains.
    private let known: Result<[StoredCertificate], KeychainError>

    init(_ verb: CMSVerb, _ content: CMSContent, _ policy: TrustPolicy) {
        (self.verb, self.policy) = (verb, policy)
        known = Result { () throws(KeychainError) in
            try verb.search.certificates(content.certificates) + verb.search.certificates()
        }
    }

    /// The verdict about a signer; a certificate that cannot be evaluated is not trusted.
    func verdict(of signer: CMSSigner) -> Verdict {
        guard let der = signer.certificate else {
            return Verdict(name: "unknown", isTrusted: false, sentence: "there is no certificate to trust")
        }
        var name = "unknown"
        do throws(KeychainError) {
            guard let certificate = try verb.search.certificates([der]).first else {
                throw KeychainError(.decode, "nobody reads it")
            }
            name = Printable.quotable(certificate.commonName ?? certificate.report?.summary ?? name)
            let chain = try IssuerCandidates(try known.get()).chain(of: certificate)
            var question = TrustQuestion(chain, policies: [policy])
            // A fetch would tell the sender that the message was read.
            question.allowsFetching = false
            try question.checkSize()
            let verdict = try verb.context.keychain.evaluate(question)
            guard let (defect, place) = verdict.firstDefect else {
                return Verdict(
                    name: name, isTrusted: verdict.isTrusted,
                    sentence: verdict.isTrusted ? "the certificate is trusted" : "the certificate is not trusted")
            }
            return Verdict(
                name: name, isTrusted: false,
                sentence: "the certificate is not trusted: \(defect.sentence(of: Printable.quotable(place)))")
        } catch {
            return Verdict(
                name: name, isTrusted: false,
                sentence: "the certificate was not judged: \(Printable.text(error.reason))")
        }
    }
}
