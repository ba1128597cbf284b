import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineModel
import Foundation

/// The `SecTrust` calls, for Swift and for C alike.
package enum TrustCalls {
    /// `SecTrustCreateWithCertificates`; without a policy the basic one applies.
    package static func make(
        _ certificates: [SecCertificate], _ policies: [SecPolicy]
    ) throws(KeychainError) -> SecTrust {
        let question = TrustQuestion(
            certificates.map(\.der), policies: policies.isEmpty ? [TrustPolicy(.basic)] : policies.map(\.policy))
        try question.checkSize()
        let reports = certificates.compactMap(\.knownReport)
        let names = Set(reports.flatMap { [$0.issuer.encoded, $0.subject.encoded] })
        return SecTrust(question, names: reports.count == certificates.count ? Array(names) : nil)
    }

    package static func setPolicies(_ policies: [SecPolicy], of trust: SecTrust) throws(KeychainError) {
        guard !policies.isEmpty, policies.count <= TrustLimits.maximumPolicies else {
            throw KeychainError(.param, "an evaluation of trust has one to \(TrustLimits.maximumPolicies) policies")
        }
        trust.change { $0.question.policies = policies.map(\.policy) }
    }

    package static func policies(of trust: SecTrust) -> [SecPolicy] {
        trust.state.withLock { $0.question.policies }.map(SecPolicy.init)
    }

    package static func setAnchors(_ anchors: [SecCertificate]?, of trust: SecTrust) {
        // As on Apple's platforms, each call makes the set anchors the only ones again; nil restores the system's.
        trust.change { ($0.anchors, $0.hasOwnAnchorsOnly) = (anchors, nil) }
    }

    package static func anchors(of trust: SecTrust) -> [SecCertificate]? {
        trust.state.withLock { $0.anchors }
    }

    package static func setOwnAnchorsOnly(_ only: Bool, of trust: SecTrust) {
        trust.change { $0.hasOwnAnchorsOnly = only }
    }

    /// - Parameter seconds: the time in seconds since 2001.
    /// - Throws: `errSecParam` for a date that is no number; the former one stays.
    package static func setDate(_ seconds: Double, of trust: SecTrust) throws(KeychainError) {
        guard !seconds.isNaN else { throw KeychainError(.param, "the date of an evaluation is no number") }
        trust.change { $0.date = seconds }
    }

    package static func setFetching(_ isAllowed: Bool, of trust: SecTrust) {
        trust.change { $0.question.allowsFetching = isAllowed }
    }

    package static func allowsFetching(_ trust: SecTrust) -> Bool {
        trust.state.withLock { $0.question.mayUseNetwork }
    }

    /// `SecTrustSetOptions`: replaces the options.
    package static func setOptions(_ number: UInt64, of trust: SecTrust) throws(KeychainError) {
        let options = TrustOptions(rawValue: number)
        guard options.isSubset(of: .all) else {
            throw KeychainError(.param, "there is no such option of an evaluation")
        }
        trust.change { $0.question.options = options }
    }

    /// - Parameter keychains: nil for the search list.
    package static func setKeychains(_ keychains: [SecKeychain]?, of trust: SecTrust) {
        trust.change { state in
            state.keychains =
                if let keychains { keychains.isEmpty ? .none : .these(keychains) } else { .searchList }
        }
    }

    /// The verdict for the program, after exceptions; evaluates unless the answer is there.
    package static func verdict(of trust: SecTrust) throws(KeychainError) -> TrustVerdict {
        try verdicts(of: trust).told
    }

    /// The verdict of securityd, and the verdict for the program, after its exceptions.
    private static func verdicts(
        of trust: SecTrust
    ) throws(KeychainError) -> (found: TrustVerdict, told: TrustVerdict) {
        let state = trust.state.withLock { $0 }
        if let told = state.verdict { return (state.found ?? told, told) }
        var question = state.question
        question.anchors = state.anchors?.map(\.der) ?? []
        question.hasOwnAnchorsOnly = state.hasOwnAnchorsOnly ?? (state.anchors != nil)
        question.date = state.date.map { Int64(max(-1e15, min(1e15, ($0 + epoch).rounded(.down)))) }
        try question.checkSize()
        question.stored = try state.keychains.issuers(for: question)
        let found: TrustVerdict
        if let smaller = smaller(question, state), let good = try trusting(smaller) {
            found = good
        } else {
            found = try KeychainClient.shared.evaluate(question)
        }
        let told = state.exceptions?.applied(to: found) ?? found
        trust.state.withLock { current in
            // Another thread may have changed the question meanwhile; then the answer is not kept.
            guard current.question == state.question, current.anchors == state.anchors, current.date == state.date,
                current.hasOwnAnchorsOnly == state.hasOwnAnchorsOnly, current.exceptions == state.exceptions,
                current.keychains == state.keychains
            else { return }
            (current.found, current.verdict) = (found, told)
            current.evaluated = Date().timeIntervalSinceReferenceDate
        }
        return (found, told)
    }

    /// The number of anchors up to which all of them are sent.
    private static let fewAnchors = 8

    /// The same question with only those anchors to which the certificates lead by name.
    ///
    /// Sending and reading many anchors takes long. Nil where the question would not be smaller, or where the full
    /// question could have another answer for a trusted chain: servers may say that it was revoked.
    private static func smaller(_ question: TrustQuestion, _ state: SecTrust.State) -> TrustQuestion? {
        guard let names = state.names, let anchors = state.anchors, anchors.count > fewAnchors,
            question.stored.isEmpty, !(question.fetchesAnswers && question.asksAboutRevocation)
        else { return nil }
        var smaller = question
        smaller.anchors = anchors.filter { anchor in anchor.knownSubject.map { names.contains($0) } ?? true }
            .map(\.der)
        smaller.allowsFetching = false
        return smaller.anchors.count < anchors.count ? smaller : nil
    }

    /// Evaluates the smaller question; nil for an untrusted chain, which must be evaluated with all anchors.
    ///
    /// A chain without a defect is trusted, whatever other anchors there are.
    private static func trusting(_ question: TrustQuestion) throws(KeychainError) -> TrustVerdict? {
        let verdict = try KeychainClient.shared.evaluate(question)
        return verdict.isTrusted ? verdict : nil
    }

    /// - Throws: the most serious defect, where the certificate is not trusted.
    package static func evaluate(_ trust: SecTrust) throws(KeychainError) {
        if let error = error(of: try verdict(of: trust)) { throw error }
    }

    /// Evaluates a certificate and returns the error, nil where the certificate is trusted.
    package static func failure(of trust: SecTrust) -> KeychainError? {
        do throws(KeychainError) { try evaluate(trust) } catch { return error }
        return nil
    }

    package static func error(of verdict: TrustVerdict) -> KeychainError? {
        verdict.firstDefect.map { defect, summary in
            var error = KeychainError(defect.status, defect.sentence(of: summary))
            error.details = verdict.allDefects
            return error
        }
    }

    /// `SecTrustGetTrustResult`: the result of the last evaluation, or `invalid` where there was none.
    package static func result(of trust: SecTrust) -> TrustVerdict.Result {
        trust.state.withLock { $0.verdict?.result ?? .invalid }
    }

    /// The chain; evaluates where that was not done.
    package static func chain(of trust: SecTrust) throws(KeychainError) -> [SecCertificate] {
        try verdict(of: trust).chain.map { SecCertificate(der: $0.certificate) }
    }

    /// The public key of the evaluated certificate.
    package static func key(of trust: SecTrust) throws(KeychainError) -> SecKey {
        guard let key = try verdict(of: trust).key else {
            throw KeychainError(.decode, "the certificate, or its key, cannot be read")
        }
        return try SecKey(try CryptographicKey(key.kind.keyKind, publicRepresentation: key.bytes))
    }

    /// `SecTrustCopyResult`; nil before the first evaluation.
    package static func details(of trust: SecTrust) -> ResultTree? {
        let state = trust.state.withLock { $0 }
        guard let verdict = state.verdict, let evaluated = state.evaluated else { return nil }
        var pairs: [(key: String, value: ResultTree)] = [
            ("TrustEvaluationDate", .date(evaluated)), ("TrustResultValue", .number(Int64(verdict.result.rawValue))),
        ]
        if let goodUntil = verdict.goodUntil {
            pairs.append(("TrustRevocationChecked", .flag(true)))
            pairs.append(("TrustExpirationDate", .date(Double(goodUntil) - epoch)))
        } else if state.question.asksAboutRevocation,
            !verdict.chain.contains(where: { $0.defects.contains(.revoked) })
        {
            // The check was requested and got no answer: a later evaluation may get one.
            pairs.append(("TrustRevocationChecked", .flag(false)))
        }
        return .dictionary(pairs)
    }

    /// `SecTrustCopyProperties`: a name for each certificate, and its first defect.
    package static func properties(of trust: SecTrust) throws(KeychainError) -> ResultTree {
        .array(
            try verdict(of: trust).chain.map { link in
                var pairs: [(key: String, value: ResultTree)] = [("title", .text(link.summary))]
                if let defect = link.defects.first { pairs.append(("error", .text(defect.sentence(of: link.summary)))) }
                return .dictionary(pairs)
            })
    }

    /// `SecTrustCopyExceptions`: exceptions for all defects, including those that are already excepted.
    package static func exceptions(of trust: SecTrust) throws(KeychainError) -> ResultTree {
        .data(TrustExceptions(try verdicts(of: trust).found).data)
    }

    /// `SecTrustSetExceptions`: nil removes the exceptions.
    ///
    /// Returns false for nil, for data that holds no exceptions, and for exceptions of another certificate.
    package static func setExceptions(_ data: [UInt8]?, of trust: SecTrust) -> Bool {
        guard let data else {
            trust.change { $0.exceptions = nil }
            return false
        }
        guard let exceptions = TrustExceptions(data) else { return false }
        return trust.change { state in
            guard exceptions.certificate == state.question.certificates.first else { return false }
            state.exceptions = exceptions
            return true
        }
    }

    /// `SecTrustSetOCSPResponse`: data, or an array of data.
    package static func setResponses(_ value: QueryValue?, of trust: SecTrust) throws(KeychainError) {
        var responses: [[UInt8]] = []
        switch value {
        case nil, .null?: break
        case .data(let data)?: responses = [data]
        case .array(let all)?:
            for element in all {
                guard case .data(let data) = element else {
                    throw KeychainError(.param, "an OCSP response is data, in DER")
                }
                responses.append(data)
            }
        default: throw KeychainError(.param, "an OCSP response is data, in DER")
        }
        let given = responses
        trust.change { $0.question.responses = given }
    }

    /// `SecTrustGetVerifyTime`: seconds since 2001.
    package static func verifyTime(of trust: SecTrust) -> Double {
        trust.state.withLock { $0.date } ?? Date().timeIntervalSinceReferenceDate
    }

    /// `SecTrustCopyAnchorCertificates`: the certificates that the distribution trusts.
    package static func systemRoots() throws(KeychainError) -> [SecCertificate] {
        try KeychainClient.shared.call(ReadSystemRoots()).certificates.map { SecCertificate(der: $0) }
    }

    private static let epoch = Double(ReferenceDate.secondsSince1970)
}

extension TrustVerdict.Key.Kind {
    fileprivate var keyKind: KeyKind {
        switch self {
        case .rsa: .rsa
        case .p256, .p384, .p521: .ec
        case .ed25519: .ed25519
        }
    }
}
