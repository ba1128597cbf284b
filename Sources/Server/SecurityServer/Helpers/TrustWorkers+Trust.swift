import ChatelaineModel
import TrustProtocol

extension TrustWorkers: TrustJudging {
    package func judge(_ trustCase: TrustCase) throws(KeychainError) -> TrustJudgement? {
        switch try ask(.evaluation(trustCase), about: .certificates) {
        case .evaluation(let judgement)? where judgement.isPossible(for: trustCase): return judgement
        case nil: return nil
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

extension TrustJudgement {
    /// Whether it can be the answer, with the servers that it names: each stands in a certificate of the chain. Whoever took that process over has nobody else asked.
    fileprivate func isPossible(for trustCase: TrustCase) -> Bool {
        guard verdict.isPossible(for: trustCase) else { return false }
        let names = Set(needs.flatMap(\.sources).compactMap(\.encodedURL))
        return needs.allSatisfy { $0.sources.allSatisfy { $0.encodedURL != nil } }
            && names.allSatisfy { name in verdict.chain.contains { $0.certificate.contains(bytes: name) } }
    }
}

extension EvidenceSource {
    /// As a certificate has it among its names: tagged, with its length, so that a part of one is none. Nil where it is longer than is asked for.
    fileprivate var encodedURL: [UInt8]? {
        let (bytes, tag): ([UInt8], UInt8) = ([UInt8](url.utf8), 0x86)
        return switch bytes.count {
        case 0..<0x80: [tag, UInt8(bytes.count)] + bytes
        case 0x80...0xFF: [tag, 0x81, UInt8(bytes.count)] + bytes
        case 0x100...EvidenceLimits.maximumURLBytes:
            [tag, 0x82, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
        default: nil
        }
    }
}

extension TrustVerdict {
    /// Whether it can be the answer. Whoever took that process over can lie about this one question, with certificates that were in it or were
    /// fetched for it. Of these none is an anchor.
    fileprivate func isPossible(for trustCase: TrustCase) -> Bool {
        let question = trustCase.question
        guard chain.first?.certificate == question.certificates.first else { return false }
        // Whether one signed itself is not known here: where that makes an anchor, any that the program gave may be one.
        let implicit = question.options.contains(.implicitAnchors) ? question.certificates : []
        let anchors =
            question.anchors + implicit
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
