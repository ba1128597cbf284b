import ChatelaineModel

/// A word that selects listed programs: a path, an identifier, a digest, or a partition.
struct ProgramWord {
    private let word: String
    private let path: String?
    /// The program that is at the path now, which may be listed with another path.
    private let present: TrustedApplication.Identity?
    private let partition: PartitionID?

    init(_ word: String, in context: ToolContext) throws {
        guard !word.isEmpty else { throw ToolError.usage("no program was named") }
        self.word = word
        let isDigest = Hexadecimal.bytes(of: word.utf8)?.count == ExecutableDigest.byteCount
        let partition = PartitionID(isDigest ? "cdhash:" + word.lowercased() : word)
        self.partition = partition.flatMap { $0.hasPrograms ? $0 : nil }
        let isPath = word.contains("/") && !word.hasPrefix("path:") && self.partition == nil
        path = isPath ? try ApplicationPath.absolute(word, mustExist: false) : nil
        present = path.flatMap { path in try? context.keychain.trustedApplication(at: path).identity }
    }

    /// The object without the program.
    ///
    /// The program is removed wherever it is listed, since a grant holds at any path.
    func taken(from access: AccessObject) -> AccessObject {
        let meant = Set(access.listed.filter(isMeant).map(\.identity))
        var partitions = Set(partition.map { [$0] } ?? [])
        // An entry for everyone lets this one program in through its partition, without listing it.
        if case .digest(let digest)? = present { partitions.insert(PartitionID(digest)) }
        return access.removing({ meant.contains($0.identity) }, partitions: partitions)
    }

    private func isMeant(_ application: TrustedApplication) -> Bool {
        if let partition { return application.partition == partition }
        if let path { return application.path.text == path || application.identity == present }
        guard case .identifier(let identifier) = application.identity else { return false }
        return identifier.text == word || identifier.name == word
    }

    /// The selected programs that an entry for everyone still lets in.
    func remaining(
        in changed: AccessObject, of former: AccessObject, _ itemClass: ItemClass
    ) -> [TrustedApplication] {
        former.listed.filter { isMeant($0) && changed.lets($0, useItemOf: itemClass) }
    }
}
