import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// `dump-keychain`: shows every item, with its secret only on demand. Every failure gives exit status 1.
final class DumpVerb {
    /// The bytes of text that are written at once, since a keychain may have many items.
    private static let chunk = 64 * 1024
    private static let classes: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]

    private let context: ToolContext
    private let output: Output
    private let showsData: Bool
    private let showsAccess: Bool
    private let edits: Bool
    private let programs: ListedPrograms
    private var exitStatus = ExitStatus.success

    static func run(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        if arguments.has("r") { context.complain("items are shown to nobody as they are sealed; -r does nothing") }
        guard let path = arguments.value(of: "o") else { return try run(arguments, context, context.output) }
        // The file is for the user only: with `-d` it contains secrets.
        let file = try OutputFile.open(path, mode: OutputFile.secretMode)
        let exitStatus = try run(arguments, context, file.output)
        try file.finish()
        return exitStatus
    }

    private static func run(_ arguments: MacArguments, _ context: ToolContext, _ output: Output) throws -> Int32 {
        let verb = DumpVerb(arguments, context, output)
        for (path, isNamed) in try verb.keychains(arguments.operands) { try verb.dump(path, isNamed: isNamed) }
        return verb.exitStatus
    }

    private init(_ arguments: MacArguments, _ context: ToolContext, _ output: Output) {
        self.context = context
        self.output = output
        showsData = arguments.has("d")
        edits = arguments.has("i")
        showsAccess = edits || arguments.has("a")
        programs = ListedPrograms(context.keychain)
    }

    /// The named keychains, or those of the search list, some of which may not exist.
    private func keychains(_ names: [String]) throws(MacFailure) -> [(path: String, isNamed: Bool)] {
        guard names.isEmpty else { return try context.scope(names).paths.map { ($0, true) } }
        return try MacVerb.calling("SecKeychainCopySearchList", exitStatus: ExitStatus.failure) {
            () throws(KeychainError) in try context.keychain.read(.searched, of: .user).map { ($0, false) }
        }
    }

    private func dump(_ path: String, isNamed: Bool) throws(OutputError) {
        var buffer = SecretBuffer(capacity: Self.chunk * 2)
        for itemClass in Self.classes {
            var query = ItemQuery(itemClass: itemClass)
            query.returns = [.attributes]
            query.limit = .all
            let items: [KeychainItem]
            do throws(KeychainError) {
                items = try context.keychain.find(query, in: KeychainScope(paths: [path]))
            } catch {
                if error.status == .itemNotFound { continue }
                // A keychain of the search list that does not exist or cannot be opened here, such as the machine's, is
                // skipped.
                let isAbsent = error.status == .noSuchKeychain || error.status == .unimplemented
                if isNamed || !isAbsent { fail("SecKeychainSearchCopyNext", error) }
                return try flush(&buffer)
            }
            for item in items {
                ItemRecord(item: item, isForTerminal: output.isTerminal).append(to: &buffer)
                // Private keys have to be exported; their bytes are not shown with other data.
                if showsData, itemClass != .key { appendData(of: item, to: &buffer) }
                if showsAccess { try appendAccess(of: item, to: &buffer) }
                if buffer.count >= Self.chunk { try flush(&buffer) }
            }
        }
        try flush(&buffer)
    }

    private func flush(_ buffer: inout SecretBuffer) throws(OutputError) {
        try output.write(buffer)
        buffer.reset(keeping: Self.chunk * 2)
    }

    private func fail(_ function: String, _ error: KeychainError) {
        for line in MacFailure(call: function, error: error).lines { context.complain(line) }
        exitStatus = ExitStatus.failure
    }

    private func appendData(of item: KeychainItem, to buffer: inout SecretBuffer) {
        do throws(KeychainError) {
            let secret = try context.secret(of: item)
            buffer.append(text: "data:\n")
            secret?.withUnsafeBytes { buffer.append(layout: $0) }
            buffer.append(text: "\n")
        } catch {
            fail("SecKeychainItemCopyContent", error)
        }
    }

    private func appendAccess(of item: KeychainItem, to buffer: inout SecretBuffer) throws(OutputError) {
        do throws(KeychainError) {
            let access = try context.keychain.access(of: item.reference, in: item.path, .allow)
            AccessRecord(access: access) { [programs] in programs.standing(of: $0) }.append(to: &buffer)
            guard edits else { return }
            // The person has to see the entry before the question about it.
            do throws(OutputError) { try flush(&buffer) } catch { return }
            try edit(access, of: item)
        } catch {
            if error.status == .noAccessForItem {
                buffer.append(text: "no access control for this item\n")
            } else {
                fail("SecKeychainItemCopyAccess", error)
            }
        }
    }

    /// Removes the entries that a person selects. The owner's entry and those that hold data stay.
    private func edit(_ access: AccessObject, of item: KeychainItem) throws(KeychainError) {
        var edited = access
        edited.entries = []
        for (index, entry) in access.entries.enumerated() {
            let isData =
                switch entry.subject {
                case .partition, .integrity: true
                default: false
                }
            let confirmation = Confirmation(openTerminal: context.openTerminal)
            if isData || confirmation.ask("Remove entry \(index)?") != true { edited.entries.append(entry) }
        }
        guard edited != access else { return }
        do throws(KeychainError) {
            try context.keychain.setAccess(edited, of: item.reference, in: item.path, .allow)
        } catch { fail("SecKeychainItemSetAccess", error) }
    }
}
