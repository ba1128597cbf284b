import ChatelaineMemory
import ChatelaineModel

/// `cms -D`: verifies the signatures of a message, or decrypts it.
///
/// The content is written only if all signatures are good, since otherwise the named signers did not write it.
struct CMSDecoding {
    private let verb: CMSVerb
    private let policy: TrustPolicy
    /// Whether an untrusted certificate is a failure.
    private let demandsTrust: Bool
    private let headerLevel: Int?

    init(_ verb: CMSVerb) throws {
        self.verb = verb
        let usage = verb.arguments.value(of: "u")
        demandsTrust = usage != nil
        policy = try Self.policy(usage)
        headerLevel = try verb.arguments.value(of: "h").map { word throws(MacUsage) in
            guard let level = Int(word), level >= 0 else { throw MacUsage("\(word) is no level") }
            return level
        }
    }

    /// The policy for a number of Apple's `SECCertUsage`; that for e-mail if there is none.
    private static func policy(_ usage: String?) throws(MacUsage) -> TrustPolicy {
        switch usage {
        case "0": TrustPolicy(.ssl, isClient: true)
        case "1", "2", "3": TrustPolicy(.ssl)
        case nil, "4", "5": TrustPolicy(.smime)
        case "6", "9": TrustPolicy(.codeSigning)
        case "7", "8", "10", "11": TrustPolicy(.basic)
        case .some(let word): throw MacUsage("\(word) is no usage of a certificate: 0 to 11")
        }
    }

    func run() throws -> Int32 {
        let message = CMSMessage(try verb.input(), content: try verb.file("c"))
        let content = try Self.decoding { () throws(KeychainError) in
            guard message.byteCount <= FormatLimits.maximumFileBytes else { throw FormatFailure.tooLarge.error }
            let content = try verb.context.keychain.read(message)
            return switch content.kind {
            case .enveloped: try CMSOpening(verb).opened(message)
            case .signed: try complete(content, message)
            }
        }
        switch content.kind {
        case .enveloped: try writeHeader("type=envelopedData; ")
        case .signed: guard try judge(content) else { return ExitStatus.failure }
        }
        if let bytes = content.content, !verb.arguments.has("n") { try verb.write(bytes, isSecret: true) }
        return ExitStatus.success
    }

    /// Looks up the signers' certificates in the keychains if the message lacks them.
    private func complete(
        _ content: CMSContent, _ message: CMSMessage
    ) throws(KeychainError) -> CMSContent {
        guard content.signers.contains(where: { $0.status == .noCertificate }) else { return content }
        var (best, found) = (content, [[UInt8]]())
        for batch in CMSOpening.batches(try verb.search.certificates(), beside: message).batches {
            var question = message
            question.certificates = batch.map(\.der)
            // Signers that were found are not looked up again, if there is room for their certificates.
            if (question.certificates + found).count <= CMSLimits.maximumCertificates,
                found.reduce(question.byteCount, { $0 + $1.count }) <= FormatLimits.maximumFileBytes
            {
                question.certificates += found
            }
            let again = try verb.context.keychain.read(question)
            guard again.strangers < best.strangers else { continue }
            found += zip(best.signers, again.signers).compactMap { before, now in
                before.status == .noCertificate ? now.certificate : nil
            }
            best = again
            if best.strangers == 0 { break }
        }
        return best
    }

    // MARK: What is said

    /// Whether the content counts; reports the status of each signer.
    private func judge(_ content: CMSContent) throws -> Bool {
        var (isGood, isTrusted) = (true, true)
        let judge = CMSTrust(verb, content, policy)
        var header = "type=signedData; nsigners=\(content.signers.count); "
        var lines = ""
        for (index, signer) in content.signers.enumerated() {
            let verdict = judge.verdict(of: signer)
            isGood = isGood && signer.status == .good
            isTrusted = isTrusted && verdict.isTrusted
            header +=
                "\n\t\tsigner\(index).id=\"\(verdict.name)\"; signer\(index).status=\(Self.word(signer.status, verdict)); "
            lines += "signer \(index + 1), “\(verdict.name)”: \(Self.sentence(of: signer, verdict))\n"
        }
        if content.signers.isEmpty {
            // Otherwise a message would pass once its signatures were removed.
            isGood = content.content == nil
            let count = content.certificates.count
            lines = "nobody signed the message; there are \(count) certificates in it\n"
        }
        try writeHeader(header)
        verb.context.note(lines)
        return isGood && (isTrusted || !demandsTrust)
    }

    private func writeHeader(_ text: String) throws {
        guard let headerLevel else { return }
        try verb.context.output.write("SMIME: level=\(headerLevel).1; \(text)\n")
    }

    /// The word of NSS, from which Apple's command comes.
    private static func word(_ status: CMSSigner.Status, _ verdict: CMSTrust.Verdict) -> String {
        switch status {
        case .good: verdict.isTrusted ? "GoodSignature" : "SigningCertNotTrusted"
        case .badSignature: "BadSignature"
        case .digestMismatch: "DigestMismatch"
        case .noCertificate: "SigningCertNotFound"
        case .unsupported: "SignatureAlgorithmUnsupported"
        case .malformed: "MalformedSignature"
        }
    }

    private static func sentence(of signer: CMSSigner, _ verdict: CMSTrust.Verdict) -> String {
        let details = [
            signer.digest?.name, signer.signingTime.map { "said to be of " + CertificateDescription.date($0) },
        ].compactMap { $0 }
        let signature =
            switch signer.status {
            case .good: "the signature is good (\(details.joined(separator: ", ")))"
            case .badSignature: "the signature is bad: it is not of this signer, or was changed"
            case .digestMismatch: "the signature is bad: it is of another content"
            case .noCertificate: "the signature was not verified: nobody has the certificate"
            case .unsupported: "the signature was not verified: it is made in a way that is not taken here"
            case .malformed: "the signature is bad: something is missing in it, or is there twice"
            }
        return signature + "; " + verdict.sentence
    }

    static func decoding<Answer>(
        _ body: () throws(KeychainError) -> Answer
    ) throws(MacFailure) -> Answer { try MacVerb.calling("SecCmsMessageDecode", exitStatus: ExitStatus.failure, body) }
}

extension CMSContent {
    /// The number of signers without a certificate.
    fileprivate var strangers: Int { signers.count { $0.status == .noCertificate } }
}
