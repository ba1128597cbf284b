import ArgumentParser
import ChatelaineIPC
import ChatelaineModel

/// `security acl revoke`: removes a program and its partition from access objects (behaviour/security-command.md, 49).
struct ACLRevokeCommand: ToolCommand, SearchCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Takes back what a program may use.",
        usage:
            "security acl revoke program [attributes] [--keychain keychain] [--keep-partitions|--stdin|--descriptor n] [--json]",
        discussion:
            "Without attributes it is about every item of the keychain. The program is no longer listed anywhere in these, and its partition goes where no other listed program is of "
            + "it. It takes the keychain\u{2019}s password, and unlocks it. With --keep-partitions nothing is typed here: whom the items\u{2019} owner entries want asked is asked for each item."
    )

    @Argument(
        help:
            "The program: its path, its identifier, its SHA-256, or a partition such as teamid:ABCDE12345, apple: or apple-tool:.",
        completion: .file())
    var program: String
    @OptionGroup var attributes: AttributeOptions
    @OptionGroup var options: SearchOptions
    @Option(
        name: .long, help: ArgumentHelp("The file keychain; unless given, the default one.", valueName: "keychain"),
        completion: .file())
    var keychain: String?
    @Flag(name: .long, help: "Leave partition lists as they are.")
    var keepPartitions = false
    @OptionGroup var source: KeychainPasswordOptions
    @Flag(name: .long, help: "One object, with the number of changed items.")
    var json = false

    func validate() throws {
        guard !keepPartitions || !source.isGiven else {
            throw ValidationError("--keep-partitions goes without a password")
        }
    }

    func run(in context: ToolContext) throws -> Int32 {
        let word = try ProgramWord(program, in: context)
        let path = try context.path(ofKeychain: keychain)
        let password = keepPartitions ? nil : try source.password(of: path, in: context)
        if let password, try !context.keychain.state(ofKeychain: path).isUnlocked {
            try context.keychain.call(KeychainPasswordCommand.unlock(path: path.text), [password]).requireDone()
        }
        var changes: [(item: KeychainItem, access: AccessObject)] = []
        for item in try items(in: path, context) {
            let former = try context.keychain.access(of: item.reference, in: path.text, .allow)
            var access = word.taken(from: former)
            if keepPartitions, let list = former.partitionList { access = access.partitioned(list) }
            if access != former { changes.append((item, access)) }
            let itemClass = item.item.itemClass
            for program in word.remaining(in: access, of: former, itemClass) {
                let verb = itemClass == .key ? "use" : "read"
                context.complain(
                    "\(program.path.text) may \(verb) \(KeychainItemDescription.title(item)) all the same: an entry lets in everybody of its partition"
                )
            }
        }
        guard !changes.isEmpty else {
            throw KeychainError(.itemNotFound, "no item of the keychain lists that program: see security acl list")
        }
        if let password {
            try context.keychain.setAccess(
                changes.map { ItemAccess($0.access, of: $0.item.reference) }, in: path.text, password: password
            ).requireDone()
        } else {
            for change in changes {
                try context.keychain.setAccess(change.access, of: change.item.reference, in: path.text, .allow)
            }
        }
        try tell(changes.map(\.item), context)
        return ExitStatus.success
    }

    private func items(in path: KeychainPath, _ context: ToolContext) throws -> [KeychainItem] {
        guard try search.isSelective() || search.attributes.itemClass != nil else {
            return try KeychainItemSearch.all(in: path.text, isNamed: true, context)
        }
        let search = try KeychainItemSearch(search, in: [path.text])
        guard !search.isOfOtherKeychain else {
            throw ToolError.usage("items of file keychains have no access group and no protection class")
        }
        return try search.items(in: context)
    }

    private func tell(_ items: [KeychainItem], _ context: ToolContext) throws(OutputError) {
        guard json else {
            let rows = items.map { [Printable.text($0.path), KeychainItemDescription.title($0)] }
            return try context.output.write(
                Columns.aligned(rows) + "revoked in \(Quantity.count(items.count, "item"))\n")
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("revoked")
        writer.value(items.count)
        writer.endObject()
        writer.end()
        try writer.flush(to: context.output)
    }
}
