import ArgumentParser
import ChatelaineModel

/// `security item show`: shows items of all keychains, with their place and who may use them
/// (behaviour/security-command.md, 47).
struct ItemShowCommand: ToolCommand, SearchCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows items with where they are and who may use them.",
        usage: "security item show [attributes] [--keychain keychain]... [--json]",
        discussion:
            "It shows every item that matches: those of the data protection keychain that this tool may see, and those of the file keychains of the search list. "
            + "Secrets are never shown, and nobody is asked for anything: of a locked keychain it shows what stands in its file."
    )

    @OptionGroup var attributes: AttributeOptions
    @OptionGroup var options: SearchOptions
    @Option(
        name: .long, help: ArgumentHelp("Only items of this file keychain; may be repeated.", valueName: "keychain"),
        completion: .file())
    var keychain: [String] = []
    @Flag(name: .long, help: "An array of objects.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let protected = try keychain.isEmpty && search.keychainItem == nil ? findProtected(in: context) : []
        let described = try findInFiles(in: context)
        defer { context.tellOfMissingChanges(in: searched(in: context) + described.map(\.item.path)) }
        guard !protected.isEmpty || !described.isEmpty else {
            throw KeychainError(.itemNotFound, "no item matches that this tool may see")
        }
        if json {
            try writeJSON(protected, described, in: context)
        } else {
            let blocks = protected.map(Self.block) + described.map(\.block)
            try context.output.write(blocks.joined(separator: "\n"))
        }
        return ExitStatus.success
    }

    /// The keychains from which items may be missing: the named ones, or those of the search list.
    private func searched(in context: ToolContext) -> [String] {
        guard keychain.isEmpty else { return keychain.compactMap { try? context.path(ofKeychain: $0).text } }
        return (try? context.keychain.read(.searchList, of: .user)) ?? []
    }

    private func findProtected(in context: ToolContext) throws -> [FoundItem] {
        let pairs = try search.pairs() + [("m_Limit", .text("m_LimitAll")), ("r_Attributes", .number(1))]
        let (keychain, query) = (context.keychain, try QueryParser.query(pairs, for: .find))
        return try context.progress.watch("searching") { () throws(KeychainError) in
            do throws(KeychainError) { return try keychain.find(query) } catch {
                guard error.status == .itemNotFound else { throw error }
                return []
            }
        }
    }

    private func findInFiles(in context: ToolContext) throws -> [KeychainItemDescription] {
        let found = try KeychainItemSearch(
            search, in: try keychain.map { name throws(KeychainError) in try context.path(ofKeychain: name).text })
        guard !found.isOfOtherKeychain else { return [] }
        let programs = ListedPrograms(context.keychain)
        return try found.items(in: context).map { item in
            KeychainItemDescription(item: item, access: try access(of: item, in: context), standing: programs.standing)
        }
    }

    private func access(of item: KeychainItem, in context: ToolContext) throws(KeychainError) -> AccessObject? {
        guard item.isVerified else { return nil }
        do throws(KeychainError) {
            return try context.keychain.access(of: item.reference, in: item.path, .fail)
        } catch {
            // The keychain was locked meanwhile.
            guard error.status == .authFailed else { throw error }
            return nil
        }
    }

    private static func block(_ item: FoundItem) -> String {
        let group = item.attributes[.accessGroup].flatMap { if case .text(let text) = $0 { text } else { nil } } ?? ""
        var text = ItemDescription(item: item).block
        text += "It is in the data protection keychain, for programs of the access group \(Printable.text(group)).\n"
        if let constraints = item.constraints, constraints.isConstraining {
            text += "Whoever reads the secret has to show that you are there: \(AccessControlWord.text(constraints)).\n"
        }
        return text
    }

    private func writeJSON(
        _ protected: [FoundItem], _ described: [KeychainItemDescription], in context: ToolContext
    ) throws {
        var json = JSONWriter()
        json.beginArray()
        for item in protected {
            json.newline()
            ItemDescription(item: item).write(to: &json)
        }
        for item in described {
            json.newline()
            item.write(to: &json)
        }
        json.end()
        json.endArray()
        json.end()
        try json.flush(to: context.output)
    }
}
