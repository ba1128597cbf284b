import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Glibc

/// `import`: stores the certificates and keys of a file in a file keychain. Every failure gives exit status 1.
struct ImportVerb {
    /// How many times a passphrase may be typed.
    private static let tries = 3

    private let arguments: MacArguments
    private let context: ToolContext
    private let file: String
    private let path: KeychainPath?
    private let access: AccessOptions

    static func run(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        try ImportVerb(arguments, context).run()
    }

    private init(_ arguments: MacArguments, _ context: ToolContext) throws {
        guard let file = arguments.operands.first else { throw MacUsage() }
        (self.arguments, self.context, self.file) = (arguments, context, file)
        path = try arguments.value(of: "k").map { name throws(MacFailure) in
            try MacVerb.calling("SecKeychainOpen", name, exitStatus: ExitStatus.failure) {
                () throws(KeychainError) in try context.path(ofKeychain: name)
            }
        }
        guard !arguments.has("a") else {
            throw ToolError.failure("items have no extended attributes here; leave -a out")
        }
        access = try AccessOptions(arguments, context, passesOverMissing: true)
    }

    private func run() throws -> Int32 {
        let request = ExternalFile(
            try contents(), format: try FormatWords.format(arguments),
            kind: try FormatWords.kind(arguments), passphrase: MacPasswords.given(arguments.value(of: "P")))
        let content = try read(request)
        let counts = try Self.calling { () throws(KeychainError) in try store(content) }
        for (count, noun, nouns) in [
            (counts.identities, "identity", "identities"), (counts.keys, "key", "keys"),
            (counts.certificates, "certificate", "certificates"),
        ] where count > 0 {
            try context.output.write("\(count) \(count == 1 ? noun : nouns) imported.\n")
        }
        return ExitStatus.success
    }

    private func contents() throws -> SecretBytes {
        do { return try InputFile.secret(file, in: context) } catch let error as KeychainError {
            throw MacFailure(call: Self.call, error: error, exitStatus: ExitStatus.failure)
        }
    }

    /// Reads the file; if it needs a passphrase and none is given, the terminal or else a dialog asks for it.
    private func read(_ request: ExternalFile) throws -> ExternalContent {
        var request = request
        var attempt = 0
        let question = arguments.has("P") || context.hasTerminal ? nil : OperationPrompt(Printable.text(file))
        while true {
            do throws(KeychainError) { return try context.keychain.read(request, asking: question) } catch {
                let isAsked =
                    request.passphrase == nil ? error.status == .passphraseRequired : error.status == .authFailed
                guard isAsked, !arguments.has("P"), question == nil, attempt < Self.tries else {
                    let named = KeychainError(
                        cause: error.cause, status: error.status, "\(Printable.text(file)): \(error.reason)")
                    throw MacFailure(call: Self.call, error: named, exitStatus: ExitStatus.failure)
                }
            }
            attempt += 1
            request.passphrase = try MacPasswords(context: context, unanswered: ExitStatus.failure).ask(
                "passphrase for \(Printable.text(file)): ", or: "-P")
        }
    }

    // MARK: Storing

    private struct Counts {
        var (identities, keys, certificates) = (0, 0, 0)
    }

    /// An item to store, and its key, if it is one.
    private typealias Thing = (item: NewItem, key: KeyFromFile?)

    /// Stores all items of a file, or none.
    ///
    /// All items are made before the first one is stored, and are removed again if one cannot be stored. So a file with
    /// an error leaves nothing behind.
    ///
    /// - Throws: `errSecDuplicateItem` if everything exists already.
    private func store(_ content: ExternalContent) throws(KeychainError) -> Counts {
        var (items, counts) = ([Thing](), Counts())
        var (keys, certified): ([(key: KeyFromFile, label: String?)], [[UInt8]]) = ([], [])
        for item in content.items {
            switch item.content {
            case .certificate(let der, let key):
                items.append((try NewCertificate.item(der), nil))
                if let key { certified.append(key) }
                counts.certificates += 1
            case .privateKey, .publicKey: keys.append((try KeyFromFile(item.content), item.label))
            case .sessionKey(let bytes):
                items.append((try sessionKey(bytes), nil))
                counts.keys += 1
            }
        }
        for (key, label) in keys {
            items.append((try self.item(key, called: label), key))
            // macOS counts a key of PKCS#12 with its certificate as an identity.
            if content.format == .pkcs12, let index = certified.firstIndex(of: key.publicBytes) {
                certified.remove(at: index)
                counts.identities += 1
                counts.certificates -= 1
            } else {
                counts.keys += 1
            }
        }
        guard try stored(items) || items.isEmpty else {
            throw KeychainError(.duplicateItem, "all of \(file) is in the keychain already")
        }
        return counts
    }

    /// Stores all items, or none; items that exist stay as they are.
    ///
    /// - Returns: whether an item is new.
    private func stored(_ items: [Thing]) throws(KeychainError) -> Bool {
        var new: [KeychainItem] = []
        for (item, key) in items {
            do throws(KeychainError) { new.append(try context.keychain.add(item, to: path)) } catch {
                guard error.status == .duplicateItem else { throw takenBack(new, after: error) }
                guard isThere(item, key) else {
                    let other =
                        key == nil
                        ? "another certificate has the issuer and serial number of one of \(file): see “security find-certificate”"
                        : "another key has the application label of one of \(file): see “security find-key”"
                    throw takenBack(new, after: KeychainError(.duplicateItem, other))
                }
            }
        }
        return !new.isEmpty
    }

    /// Whether the keychain's item with the same unique attributes is this one.
    ///
    /// Programs can give a key any label, and issuers can give two certificates one number.
    private func isThere(_ item: NewItem, _ key: KeyFromFile?) -> Bool {
        var query = ItemQuery(itemClass: item.itemClass)
        query.limit = .all
        // The bytes of a key stay in their memory.
        var der: [UInt8] = []
        if key != nil {
            for name in [AttributeKey.keyClass, .applicationLabel] { query.attributes[name] = item.attributes[name] }
        } else {
            guard item.itemClass == .certificate else { return true }
            der = item.secret?.withUnsafeBytes { [UInt8]($0) } ?? []
            (query.certificates, query.returns) = ([der], .data)
        }
        guard let path = try? path ?? context.path(ofKeychain: nil),
            let found = try? context.keychain.find(query, in: KeychainScope(paths: [path.text]))
        else { return false }
        guard let key else {
            return found.contains { $0.item.secret?.withUnsafeBytes { $0.elementsEqual(der) } == true }
        }
        return found.contains { $0.item.key?.publicBytes == key.publicBytes }
    }

    /// Deletes the items stored before the failure; the error tells how many could not be deleted.
    private func takenBack(_ new: [KeychainItem], after error: KeychainError) -> KeychainError {
        var left = 0
        for item in new.reversed() {
            let (query, scope) = item.alone()
            do throws(KeychainError) { try context.keychain.delete(query, in: scope, asksPerson: false) } catch {
                left += 1
            }
        }
        return error.leaving(left)
    }

    private func item(_ key: KeyFromFile, called label: String?) throws(KeychainError) -> NewItem {
        let name = label ?? Self.baseName(file)
        var pairs: [(key: String, value: QueryValue)] = [
            ("class", .text(ItemClass.key.name)), ("v_Ref", .key(key)), ("labl", .text(name)),
        ]
        if arguments.has("x") { pairs.append(("extr", .number(0))) }
        var item = try QueryParser.newItem(pairs)
        item.access = access.access(named: name)
        return item
    }

    /// An item for an AES key; symmetric keys of other sizes cannot be used.
    private func sessionKey(_ bytes: SecretBytes) throws(KeychainError) -> NewItem {
        let name = Self.baseName(file)
        var pairs: [(key: String, value: QueryValue)] = [
            ("class", .text(ItemClass.key.name)), ("kcls", .number(KeyHalf.symmetric.rawValue)),
            ("type", .number(KeyAttributes.aesType)), ("v_Data", .secret(bytes)), ("labl", .text(name)),
            // Without one, two keys of the same size would be one item (behaviour/symmetric-keys.md, 5).
            ("klbl", .data(ItemIdentifier().bytes)),
        ]
        if arguments.has("x") { pairs.append(("extr", .number(0))) }
        var item = try QueryParser.newItem(pairs)
        item.access = access.access(named: name)
        return item
    }

    /// The file's name without its extension.
    private static func baseName(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }

    private static let call = "SecKeychainItemImport"

    private static func calling<Answer>(
        _ body: () throws(KeychainError) -> Answer
    ) throws(MacFailure) -> Answer { try MacVerb.calling(call, exitStatus: ExitStatus.failure, body) }
}
