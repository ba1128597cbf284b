import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// The verbs that find and delete passwords in file keychains.
enum PasswordVerbs {
    static func find(_ itemClass: ItemClass, _ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        var match = try ItemMatch(arguments, itemClass)
        match.dropBesidesPrimary()
        let item = try context.first(match, in: try context.scope(arguments.operands))
        var secret: SecretBytes?
        if arguments.has("g") || arguments.has("w") {
            secret = try MacVerb.calling("SecKeychainItemCopyContent") { () throws(KeychainError) in
                try context.secret(of: item)
            }
        }
        if arguments.has("w") {
            var line = SecretBuffer()
            secret?.withUnsafeBytes { line.append(password: $0) }
            line.append(UInt8(ascii: "\n"))
            try context.output.write(line)
            return ExitStatus.success
        }
        try context.write(ItemRecord(item: item, isForTerminal: context.output.isTerminal))
        guard arguments.has("g") else { return ExitStatus.success }
        var line = SecretBuffer()
        line.append(text: "password: ")
        secret?.withUnsafeBytes { line.append(layout: $0) }
        line.append(UInt8(ascii: "\n"))
        try context.errors.write(line)
        return ExitStatus.success
    }

    /// Deletes a password; as on macOS the message about that comes even if a failure follows.
    ///
    /// What cannot be shown is deleted all the same.
    static func delete(_ itemClass: ItemClass, _ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        var match = try ItemMatch(arguments, itemClass)
        guard !match.query.attributes.isEmpty else { throw MacUsage() }
        match.dropBesidesPrimary()
        match.swapAuthenticationType()
        let item = try context.first(match, in: try context.scope(arguments.operands))
        let shown = Result { try context.write(ItemRecord(item: item, isForTerminal: context.output.isTerminal)) }
        let outcome = Result { () throws(MacFailure) in
            try MacVerb.calling("SecKeychainItemDelete") { () throws(KeychainError) in
                let (query, scope) = item.alone()
                try context.keychain.delete(query, in: scope, asksPerson: true)
            }
        }
        context.note("password has been deleted.\n")
        try outcome.get()
        try shown.get()
        return ExitStatus.success
    }
}
