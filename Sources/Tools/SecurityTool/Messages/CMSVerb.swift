import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// `cms`: signed and enveloped messages. formatd parses messages from outside, and private keys stay in their
/// keychains.
struct CMSVerb {
    private static let modes: [Character] = ["C", "D", "E", "S", "O"]

    let arguments: MacArguments
    let context: ToolContext
    let search: CertificateSearch

    static func run(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        let modes = modes.filter(arguments.has)
        guard modes.count == 1, let mode = modes.first else {
            throw MacUsage("one of -D, -S, -E and -O says what is to be done")
        }
        guard mode != "C", !arguments.has("e") else {
            throw MacFailure(
                call: "SecCmsMessageEncode",
                error: KeychainError(
                    .unimplemented,
                    "a message is not encrypted or decrypted with the key of another one here; -E makes one for its recipients"
                ), exitStatus: ExitStatus.failure)
        }
        let verb = try CMSVerb(
            arguments: arguments, context: context,
            search: CertificateSearch(arguments.values(of: "k").suffix(1).map { $0 }, in: context))
        try verb.unlock()
        switch mode {
        case "D": return try CMSDecoding(verb).run()
        case "S": try verb.write(CMSSigningVerb.message(verb, of: try verb.input()))
        case "E": try verb.write(try verb.enveloped())
        default: try verb.write(try verb.certificatesAlone())
        }
        return ExitStatus.success
    }

    // MARK: Files

    /// The file of `-i`, or standard input.
    func input() throws -> SecretBytes {
        do {
            guard let path = arguments.value(of: "i") else {
                return try SecretReader(progress: context.progress).read(context.standardInput, isChomped: false)
            }
            return try InputFile.secret(path, in: context)
        } catch let error as KeychainError { throw failure(error) }
    }

    /// The file that an option names; nil if the option was not given.
    func file(_ option: Character) throws -> SecretBytes? {
        guard let path = arguments.value(of: option) else { return nil }
        do { return try InputFile.secret(path, in: context) } catch let error as KeychainError { throw failure(error) }
    }

    /// Replaces the error for a secret that is too large, which speaks of an item.
    private func failure(_ error: KeychainError) -> MacFailure {
        MacFailure(
            call: "SecCmsMessage", error: error.status == .dataTooLarge ? FormatFailure.tooLarge.error : error,
            exitStatus: ExitStatus.failure)
    }

    /// - Parameter isSecret: whether the file is readable by the user only.
    func write(_ bytes: SecretBytes, isSecret: Bool = false) throws {
        guard let path = arguments.value(of: "o") else {
            try context.output.write(bytes)
            return
        }
        let file = try OutputFile.open(path, mode: isSecret ? OutputFile.secretMode : OutputFile.publicMode)
        try file.output.write(bytes)
        try file.finish()
    }

    private func unlock() throws {
        guard let password = MacPasswords.given(arguments.value(of: "p")) else { return }
        let name = arguments.value(of: "k")
        try MacVerb.calling("SecKeychainUnlock", name ?? "<NULL>", exitStatus: ExitStatus.failure) {
            () throws(KeychainError) in
            let path = try context.path(ofKeychain: name)
            _ = try context.keychain.state(ofKeychain: path)
            try context.keychain.call(KeychainPasswordCommand.unlock(path: path.text), [password]).requireDone()
        }
    }

    // MARK: Enveloped messages, and certificates

    /// Room for one recipient in a message, with names and the largest key.
    private static let recipientBytes = 4096

    private func enveloped() throws -> SecretBytes {
        let recipients = try recipients { (people, word) throws(KeychainError) in try people.recipient(word) }
        let content = try input()
        return try Self.encoding { () throws(KeychainError) in
            let order = CMSOrder(content, .envelop(recipients.map(\.der)))
            // Opening the message here needs room for a certificate and a key as well.
            let rest =
                order.byteCount - content.count + recipients.count * Self.recipientBytes + CMSLimits.maximumKeyBytes
            guard content.count + rest <= FormatLimits.maximumFileBytes else { throw FormatFailure.tooLarge.error }
            return try context.keychain.write(order)
        }
    }

    private func certificatesAlone() throws -> SecretBytes {
        let items = try recipients { (people, word) throws(KeychainError) in try people.holder(word) }
            .map { ExternalItem(.certificate(der: $0.der, key: nil)) }
        return try Self.encoding { () throws(KeychainError) in
            try context.keychain.write(ExternalOrder(items, format: .pkcs7), asking: nil)
        }
    }

    private func recipients(
        _ find: (CMSCertificateLookup, String) throws(KeychainError) -> StoredCertificate
    ) throws -> [StoredCertificate] {
        let words = (arguments.value(of: "r") ?? "").split(separator: ",").map(String.init)
        guard !words.isEmpty, words.count <= CMSLimits.maximumCertificates else {
            throw MacUsage("whom it is for is said by -r, with commas between")
        }
        return try Self.encoding { () throws(KeychainError) in
            let all = try search.certificates()
            let people = CMSCertificateLookup(all) { isTrusted($0, as: $1, among: all) }
            var found: [StoredCertificate] = []
            for word in words { found.append(try find(people, word)) }
            return found
        }
    }

    /// Whether the certificate is trusted for e-mail, and for the address if one was given.
    ///
    /// A certificate that cannot be evaluated is not trusted.
    private func isTrusted(
        _ certificate: StoredCertificate, as word: String, among all: [StoredCertificate]
    ) -> Bool {
        guard let chain = try? IssuerCandidates(all).chain(of: certificate) else { return false }
        let policy = TrustPolicy(.smime, name: word.contains("@") ? word : nil)
        var question = TrustQuestion(chain, policies: [policy])
        question.allowsFetching = false
        return (try? context.keychain.evaluate(question).isTrusted) ?? false
    }

    static func encoding<Answer>(
        _ body: () throws(KeychainError) -> Answer
    ) throws(MacFailure) -> Answer { try MacVerb.calling("SecCmsMessageEncode", exitStatus: ExitStatus.failure, body) }
}
