import ChatelaineModel
import TrustProtocol

extension TrustWorkers: TrustJudging {
    package func judge(_ trustCase: TrustCase) throws(KeychainError) -> TrustJudgement {
        switch try ask(.evaluation(trustCase), about: .certificates) {
        case .evaluation(let judgement)? where judgement.verdict.isPossible(for: trustCase): return judgement
        case nil: throw noAnswer
        default: throw Self.confused
        }
    }

    package func roots(in file: [UInt8]) throws(KeychainError) -> [TrustRoot] {
        guard file.count <= TrustLimits.maximumBundleBytes else {
            throw KeychainError(
                .param, "the distribution's file of certificates has more than \(TrustLimits.maximumBundleBytes) bytes")
        }
        switch try ask(.bundle(file), about: .certificates) {
        case .roots(let roots)?: return roots
        case nil: throw noAnswer
        default: throw Self.confused
        }
    }
}

extension TrustVerdict {
    /// Whether it can be the answer. Whoever took that process over can lie about this one question, with certificates that were in it or were
    /// fetched for it. Of these none is an anchor.
    fileprivate func isPossible(for trustCase: TrustCase) -> Bool {
        let question = trustCase.question
        guard chain.first?.certificate == question.certificates.first else { return false }
        let anchors =
            question.anchors
            + (question.hasOwnAnchorsOnly ? [] : trustCase.roots + trustCase.settings.map(\.certificate))
        if isTrusted, !anchors.contains(where: { $0 == chain.last?.certificate }) { return false }
        // Compared one by one: a digest of all of them takes longer.
        let known = [question.certificates, question.anchors, trustCase.roots, trustCase.settings.map(\.certificate)]
        return chain.allSatisfy { link in
            known.contains { $0.contains(link.certificate) }
                // Alone, or in a list of certificates, which nobody here takes apart.
                || trustCase.fetched.issuers.contains { $0.contains(bytes: link.certificate) }
        }
    }
}
