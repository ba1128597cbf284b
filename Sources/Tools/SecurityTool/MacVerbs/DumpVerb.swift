import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// `dump-keychain`: every item, without its secret unless that is asked for. Failures end with 1, whatever their status.
final class DumpVerb {
    /// So much text is written at once: a keychain may have as many items as lines.
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
        // For the user alone: with `-d` there are secrets in it.
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

    /// Those that are named, or the search list, which may name what is not there.
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
                // What the search list names and nobody here opens, as the machine's own, keeps nobody from the others.
                let isAbsent = error.status == .noSuchKeychain || error.status == .unimplemented
                if isNamed || !isAbsent { fail("SecKeychainSearchCopyNext", error) }
                return
            }
            for item in items {
                ItemRecord(item: item, isForTerminal: output.isTerminal).append(to: &buffer)
                // The bytes of a private key are exported, and not shown beside everything else.
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
            // Whoever is asked has to have seen what about.
            do throws(OutputError) { try flush(&buffer) } catch { return }
            try edit(access, of: item)
        } catch {
            if error.status == .itemNotFound {
                buffer.append(text: "no access control for this item\n")
            } else {
                fail("SecKeychainItemCopyAccess", error)
            }
        }
    }

    /// Takes away the entries that a person says. The owner's and those that hold data stay.
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
