import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// `set-generic-password-partition-list`, `set-internet-password-partition-list` and `set-key-partition-list`.
///
/// Every failure gives exit status 1.
enum PartitionVerbs {
    static func set(_ itemClass: ItemClass, _ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        var query = try ItemMatch(arguments, itemClass).query
        query.limit = .all
        return try set(query, arguments, context)
    }

    /// Sets the partition list of keys.
    static func setOfKeys(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        guard arguments.has("S") else { throw MacUsage() }
        let query = try KeyVerbs.query(arguments)
        try calling("SecItemCopyMatching") { () throws(KeychainError) in
            guard !KeyVerbs.hasNone(arguments) else { throw KeychainError(.itemNotFound, "no key matches") }
        }
        return try set(query, arguments, context)
    }

    private static func set(_ query: ItemQuery, _ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        guard let text = arguments.value(of: "S") else { throw MacUsage() }
        let list: PartitionList
        do throws(KeychainError) { list = try PartitionList(commaSeparated: text) } catch {
            throw MacUsage(error.reason)
        }
        for partition in list.identifiers where partition.isOfNoProgram {
            context.complain(
                "\(partition.text) is the partition of no program here; identifiers have no blanks, and after cdhash: come the digits of sha256sum"
            )
        }
        let name = arguments.operands.first
        let password =
            try MacPasswords.given(arguments.value(of: "k"))
            ?? MacPasswords(context: context).ask(
                "password to unlock \(Printable.text(name ?? "default")): ", or: "-k")
        let path = try calling("SecKeychainUnlock \(name ?? "<NULL>")") { () throws(KeychainError) in
            let path = try context.path(ofKeychain: name)
            if try !context.keychain.state(ofKeychain: path).isUnlocked {
                try context.keychain.call(KeychainPasswordCommand.unlock(path: path.text), [password]).requireDone()
            }
            return path.text
        }
        let items = try calling("SecItemCopyMatching") { [query] () throws(KeychainError) in
            try context.keychain.find(query, in: KeychainScope(paths: [path]))
        }
        try calling("SecKeychainItemSetAccessWithPassword") { () throws(KeychainError) in
            var changes: [ItemAccess] = []
            for item in items {
                let access = try context.keychain.access(of: item.reference, in: path, .allow)
                changes.append(ItemAccess(access.partitioned(list), of: item.reference))
            }
            try context.keychain.setAccess(changes, in: path, password: password).requireDone()
        }
        for item in items { try context.write(ItemRecord(item: item, isForTerminal: context.output.isTerminal)) }
        return ExitStatus.success
    }

    private static func calling<Answer>(
        _ function: String, _ body: () throws(KeychainError) -> Answer
    ) throws(MacFailure) -> Answer { try MacVerb.calling(function, exitStatus: ExitStatus.failure, body) }
}
