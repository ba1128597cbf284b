import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// `add-generic-password` and `add-internet-password`.
struct AddVerbs {
    private let item: NewItem
    private let listed: AccessOptions
    private let context: ToolContext
    /// The keychain's name as the user gave it.
    private let keychainName: String?
    private let path: KeychainPath?

    static func add(_ itemClass: ItemClass, _ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        let verb = try AddVerbs(itemClass, arguments, context)
        let before = arguments.has("U") ? try verb.update() : nil
        if before == .changed { return ExitStatus.success }
        var item = verb.item
        // An item without a secret gets an empty one.
        item.secret = item.secret ?? SecretBytes([])
        item.access = verb.access
        do throws(MacFailure) {
            try MacVerb.calling("SecKeychainItemCreateFromContent", "(\(verb.keychainName ?? "<default>"))") {
                [item] () throws(KeychainError) in _ = try context.keychain.add(item, to: verb.path)
            }
        } catch {
            // Another process may have added the item since the look.
            guard before == .absent, error.error.status == .duplicateItem, try verb.update() == .changed else {
                throw error
            }
        }
        return ExitStatus.success
    }

    private init(_ itemClass: ItemClass, _ arguments: MacArguments, _ context: ToolContext) throws {
        self.context = context
        guard arguments.has("a"), arguments.has("s") else { throw MacUsage() }
        var item = NewItem(itemClass: itemClass)
        item.attributes = try ItemMatch.attributes(arguments, itemClass)
        if itemClass == .internetPassword {
            // macOS stores this value if the option is missing.
            if !arguments.has("t") { item.attributes[.authenticationType] = .text("dflt") }
        }
        let name = arguments.operands.first
        keychainName = name
        path = try name.map { name throws(MacFailure) in
            try MacVerb.calling("SecKeychainOpen", name, exitStatus: ExitStatus.failure) {
                () throws(KeychainError) in try context.path(ofKeychain: name)
            }
        }
        listed = try AccessOptions(arguments, context)
        item.secret = try Self.secret(arguments, itemClass, context)
        self.item = item
    }

    // MARK: What is in an option

    /// The secret of the last of the options `-w` and `-X`, and for a generic password `-p`.
    private static func secret(
        _ arguments: MacArguments, _ itemClass: ItemClass, _ context: ToolContext
    ) throws -> SecretBytes? {
        let letters: [Character] = itemClass == .genericPassword ? ["w", "X", "p"] : ["w", "X"]
        guard let given = arguments.options.last(where: { letters.contains($0.letter) }) else { return nil }
        guard let text = given.value else {
            return try MacPasswords(context: context, unanswered: ExitStatus.failure).askTwice(
                "password data for new item: ", again: "retype password for new item: ", or: "-w with a value, or -X")
        }
        guard given.letter == "X" else { return SecretBytes(text.utf8) }
        return try bytes(hexadecimal: text)
    }

    /// The bytes go directly into secret memory.
    private static func bytes(hexadecimal text: String) throws(MacUsage) -> SecretBytes {
        var buffer = SecretBuffer(capacity: text.utf8.count / 2 + 1)
        var high: UInt8?
        for digit in text.utf8 {
            guard let value = Hexadecimal.value(of: digit) else { throw MacUsage("-X takes hexadecimal digits") }
            if let first = high { buffer.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        guard high == nil else { throw MacUsage("-X takes an even number of hexadecimal digits") }
        return buffer.finish()
    }

    /// The access object; nil if the item gets the default one.
    private var access: AccessObject? {
        let keys: [AttributeKey] = [.label, .service, .server, .account]
        let name = keys.lazy.compactMap { key in
            if case .text(let text)? = item.attributes[key] { text } else { nil }
        }.first
        return listed.access(named: name ?? "")
    }

    // MARK: One that is there

    /// What became of the item with the same primary attributes.
    private enum Former { case changed, absent, refused }

    /// Changes the item with the same primary attributes; an item that is absent or refused has to be added.
    private func update() throws -> Former {
        do throws(MacFailure) {
            guard let found = try former() else { return .absent }
            let (query, scope) = found.alone()
            var change = ItemChange()
            change.attributes = item.attributes
            for key in AttributeSchema.of(item.itemClass).uniqueKeys { change.attributes[key] = nil }
            change.secret = item.secret
            try MacVerb.calling("SecKeychainItemModifyContent") { [change] () throws(KeychainError) in
                try context.keychain.update(query, change, in: scope)
            }
            try updateAccess(of: found)
            return .changed
        } catch {
            for line in error.lines { context.complain(line) }
            return .refused
        }
    }

    private func former() throws(MacFailure) -> KeychainItem? {
        let keys = AttributeSchema.of(item.itemClass).uniqueKeys
        var query = ItemQuery(itemClass: item.itemClass)
        for key in keys { query.attributes[key] = item.attributes[key] }
        query.returns = [.attributes]
        query.limit = .all
        let scope = KeychainScope(paths: path.map { [$0.text] } ?? [])
        let others = keys.filter { item.attributes[$0] == nil }
        return try MacVerb.calling("SecKeychainSearchCopyNext") { [query] () throws(KeychainError) in
            do throws(KeychainError) {
                return try context.keychain.find(query, in: scope).first { found in
                    let attributes = found.item.attributes
                    // Attributes that are not given are empty or 0 in the item that would be added.
                    return others.allSatisfy { attributes[$0]?.isEmpty ?? true }
                }
            } catch {
                guard error.status == .itemNotFound else { throw error }
                return nil
            }
        }
    }

    /// Adds programs to the list, and makes no change if they are listed already.
    private func updateAccess(of found: KeychainItem) throws(MacFailure) {
        guard let trusted = listed.trusted else { return }
        let (reference, path) = (found.reference, found.path)
        let former = try MacVerb.calling("SecKeychainItemCopyAccess") { () throws(KeychainError) in
            try context.keychain.access(of: reference, in: path, .allow)
        }
        try MacVerb.calling("SecKeychainItemSetAccess") { () throws(KeychainError) in
            var access = listed.isForAll ? former.openForReading : former
            if !listed.isForAll, !former.isOpenForReading {
                for application in trusted { try access.add(application, to: .decrypt) }
            }
            guard access != former else { return }
            try context.keychain.setAccess(access, of: reference, in: path, .allow)
        }
    }
}

extension AccessObject {
    fileprivate var isOpenForReading: Bool {
        entries.contains { entry in
            guard entry.authorizes(.decrypt) else { return false }
            return switch entry.subject {
            case .any, .anyDescribed: true
            default: false
            }
        }
    }
}

extension AttributeValue {
    fileprivate var isEmpty: Bool {
        switch self {
        case .text(let text): text.isEmpty
        case .data(let data): data.isEmpty
        case .number(let number): number == 0
        case .date(let seconds): seconds == 0
        }
    }
}
