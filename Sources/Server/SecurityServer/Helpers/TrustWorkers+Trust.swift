import ChatelaineModel
import TrustProtocol

extension TrustWorkers: TrustJudging {
    package func judge(_ trustCase: TrustCase) throws(KeychainError) -> TrustJudgement? {
        guard let (reply, judge) = try ask(about: trustCase) else { return nil }
        var (worker, isBelieved) = (judge, false)
        defer { settle(worker, isBelieved: isBelieved) }
        guard case .evaluation(var judgement) = reply else { throw Self.confused }
        var implicit = implicitAnchor(of: judgement.verdict, trustCase)
        if let last = implicit {
            // The next question may wait for its place, and this worker has none any more.
            worker?.worker.end()
            worker = nil
            if try !isSelfIssued(last) { implicit = nil }
        }
        guard judgement.isPossible(for: trustCase, implicit) else { throw Self.confused }
        isBelieved = true
        // An earlier chain may have made the worker lie, so that the judgement counts for this question alone.
        if judge?.isShared ?? false { judgement.unchangedUntil = nil }
        return judgement
    }

    /// The last certificate of a trusted chain that counts as an anchor only because it issued itself.
    private func implicitAnchor(of verdict: TrustVerdict, _ trustCase: TrustCase) -> [UInt8]? {
        let question = trustCase.question
        guard verdict.isTrusted, question.options.contains(.implicitAnchors),
            let last = verdict.chain.last?.certificate, question.certificates.contains(last),
            !trustCase.knownAnchors.contains(where: { $0.contains(last) })
        else { return nil }
        return last
    }

    /// Whether a certificate issued itself, as a second process says, since the one that judged may have been taken
    /// over.
    private func isSelfIssued(_ certificate: [UInt8]) throws(KeychainError) -> Bool {
        guard case .report(let report)? = try read([certificate]).first else { return false }
        return report.isSelfIssued
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
    /// Whether the judgement can be the answer, and each server that it names stands in a certificate of the chain.
    ///
    /// So a process that was taken over cannot have other servers asked.
    fileprivate func isPossible(for trustCase: TrustCase, _ implicit: [UInt8]?) -> Bool {
        guard verdict.isPossible(for: trustCase, implicit) else { return false }
        let names = Set(needs.flatMap(\.sources).compactMap(\.encodedURL))
        return needs.allSatisfy { $0.sources.allSatisfy { $0.encodedURL != nil } }
            && names.allSatisfy { name in verdict.chain.contains { $0.certificate.contains(bytes: name) } }
    }
}

extension EvidenceSource {
    /// The URL as a certificate has it among its names.
    ///
    /// The tag and the length keep a part of a name from matching. Nil where the URL is longer than allowed.
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

extension TrustCase {
    /// The certificates that are anchors whatever they state themselves.
    fileprivate var knownAnchors: [[[UInt8]]] {
        [question.anchors] + (question.hasOwnAnchorsOnly ? [] : [roots, settings.map(\.certificate)])
    }
}

extension TrustVerdict {
    /// Whether the verdict can be the answer.
    ///
    /// A process that was taken over can lie about this one question, with certificates that belong to the question or
    /// were fetched for it. None of these is an anchor.
    ///
    /// - Parameter implicit: a certificate that is an anchor because it issued itself.
    fileprivate func isPossible(for trustCase: TrustCase, _ implicit: [UInt8]?) -> Bool {
        let question = trustCase.question
        guard let first = chain.first?.certificate, first == question.certificates.first,
            // The key of another one would have a program take signatures of its owner for those of the certificate.
            key.map({ first.contains(bytes: $0.bytes) }) ?? true
        else { return false }
        if isTrusted {
            guard let last = chain.last?.certificate else { return false }
            guard last == implicit || trustCase.knownAnchors.contains(where: { $0.contains(last) }) else {
                return false
            }
        }
        // Compared one by one, since a digest of all of them takes longer.
        let known = [
            question.certificates, question.stored, question.anchors, trustCase.roots,
            trustCase.settings.map(\.certificate),
        ]
        return chain.allSatisfy { link in
            known.contains { $0.contains(link.certificate) }
                // Alone, or in a list of certificates, which securityd does not parse.
                || trustCase.fetched.issuers.contains { $0.contains(bytes: link.certificate) }
        }
    }
}
