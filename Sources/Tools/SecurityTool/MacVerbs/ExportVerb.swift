import ChatelaineMemory
import ChatelaineModel

/// `export`: writes certificates and keys of a keychain to a file.
struct ExportVerb {
    /// What to export, in the words of macOS's command line.
    private enum Wish: String {
        case certs = "certs"
        case allKeys = "allKeys"
        case pubKeys = "pubKeys"
        case privKeys = "privKeys"
        case identities = "identities"
        case all = "all"
    }

    private let arguments: MacArguments
    private let context: ToolContext
    private let search: CertificateSearch
    private let format: ExternalFormat
    private let wish: Wish

    static func run(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        try ExportVerb(arguments, context).run()
    }

    private init(_ arguments: MacArguments, _ context: ToolContext) throws {
        guard let wish = Wish(rawValue: arguments.value(of: "t") ?? Wish.all.rawValue) else {
            throw MacUsage("that is no kind of items")
        }
        (self.arguments, self.context, self.wish) = (arguments, context, wish)
        format = try FormatWords.format(arguments)
        search = try CertificateSearch(arguments.values(of: "k").suffix(1).map { $0 }, in: context)
    }

    private func run() throws -> Int32 {
        let items = try Self.calling { () throws(KeychainError) -> [ExternalItem] in
            try chosen()
        }
        // These formats hold one key. A sequence of them holds any number, and certificates as well.
        let isSequence =
            format == .pemSequence || arguments.has("w") && arguments.value(of: "f") == nil && items.count > 1
        let format = isSequence ? .pemSequence : format
        var passphrase = MacPasswords.given(arguments.value(of: "P"))
        let isAsked = (format.isEncrypted || arguments.has("w")) && passphrase == nil
        if isAsked, context.hasTerminal {
            passphrase = try MacPasswords(context: context, unanswered: ExitStatus.failure).askTwice(
                "passphrase for the file: ", again: "the same again: ", or: "-P")
        }
        guard !arguments.has("w") || format.isEncrypted || passphrase != nil else {
            throw MacUsage("nobody can be asked for a passphrase here: give it with -P")
        }
        let order = ExternalOrder(items, format: format, isArmoured: arguments.has("p"), passphrase: passphrase)
        // Without a terminal, a dialog asks for the passphrase.
        let question =
            isAsked && passphrase == nil ? OperationPrompt(Printable.text(arguments.value(of: "o") ?? "")) : nil
        let file = try Self.calling { () throws(KeychainError) in
            try context.keychain.write(order, asking: question)
        }
        guard let path = arguments.value(of: "o") else {
            try context.output.write(file)
            return ExitStatus.success
        }
        // The file is for the user only, since it may contain private keys.
        let output = try OutputFile.open(path, mode: OutputFile.secretMode)
        try output.output.write(file)
        try output.finish()
        context.note("...\(file.count) bytes written to \(Printable.text(path))\n")
        return ExitStatus.success
    }

    // MARK: What is written

    private func chosen() throws(KeychainError) -> [ExternalItem] {
        var items: [ExternalItem] = []
        let certificates = try wish == .allKeys || wish == .pubKeys || wish == .privKeys ? [] : search.certificates()
        let chosen = wish == .identities ? certificates.filter(\.hasPrivateKey) : []
        for certificate in certificates where wish != .identities || certificate.hasPrivateKey {
            items.append(ExternalItem(.certificate(der: certificate.der, key: nil), label: certificate.label))
        }
        let certified = Set(certificates.compactMap { $0.report?.key.representation })
        if wish != .certs { items += try keys(of: chosen.compactMap { $0.report?.key }, certified) }
        guard !items.isEmpty else { throw KeychainError(.itemNotFound, "there is nothing of that kind to export") }
        guard items.count <= FormatLimits.maximumItems else { throw FormatFailure.tooManyItems.error }
        return items
    }

    /// - Parameters:
    ///   - owners: the keys of the certificates whose identities are exported.
    ///   - certified: the public keys in certificates.
    private func keys(of owners: [CertificateKey], _ certified: Set<[UInt8]>) throws(KeychainError) -> [ExternalItem] {
        let owners = Dictionary(owners.map { ($0.hash, $0) }) { first, _ in first }
        var halves: [KeyHalf] = [.publicKey, .privateKey]
        if wish == .pubKeys { halves = [.publicKey] }
        if wish == .privKeys || wish == .identities || wish == .all { halves = [.privateKey] }
        // A private key and a certificate contain the public key. PKCS#12 has no separate public keys.
        if wish == .all, format != .pkcs12 { halves.append(.publicKey) }
        var items: [ExternalItem] = []
        var contained = wish == .all ? certified : []
        for half in halves {
            var attributes = AttributeSet()
            attributes[.keyClass] = .number(half.rawValue)
            for item in try search.items(.key, [.attributes], attributes) {
                if wish == .identities {
                    guard case .data(let label)? = item.item.attributes[.applicationLabel], let owner = owners[label],
                        item.item.key?.isPrivateHalf(of: owner) ?? false
                    else { continue }
                }
                if wish == .all, let key = item.item.key, !contained.insert(key.publicBytes).inserted,
                    half == .publicKey
                {
                    continue
                }
                items.append(try external(item, isPrivate: half == .privateKey))
            }
        }
        return items
    }

    /// The key with its bytes, for which a prompt may be necessary.
    private func external(_ item: StoredItem, isPrivate: Bool) throws(KeychainError) -> ExternalItem {
        guard let key = item.item.key else {
            throw KeychainError(.unimplemented, "a key is of a kind that is not exported")
        }
        guard isPrivate else { return ExternalItem(.publicKey(key.kind, key.publicBytes), label: item.label) }
        guard key.isExportable else {
            throw KeychainError(.param, "the private key “\(item.label ?? "")” never leaves the keychain")
        }
        guard let secret = try secret(of: item) else {
            throw KeychainError(.itemNotFound, "a key has no bytes")
        }
        return ExternalItem(.privateKey(key.kind, secret), label: item.label)
    }

    private func secret(of item: StoredItem) throws(KeychainError) -> SecretBytes? {
        switch item {
        case .file(let item): return try context.secret(of: item)
        case .protected(let item):
            var query = ItemQuery(itemClass: .key)
            (query.identifier, query.synchronizable, query.returns) = (item.identifier, .any, .data)
            return try context.keychain.find(query).first?.secret
        }
    }

    private static func calling<Answer>(
        _ body: () throws(KeychainError) -> Answer
    ) throws(MacFailure) -> Answer { try MacVerb.calling("SecItemExport", exitStatus: ExitStatus.failure, body) }
}

extension Output {
    func write(_ secret: SecretBytes) throws(OutputError) {
        var failure: OutputError?
        secret.withUnsafeBytes { bytes in
            do throws(OutputError) { try write(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
