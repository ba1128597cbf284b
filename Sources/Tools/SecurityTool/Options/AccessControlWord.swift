import ChatelaineModel

/// Access controls as words of the command line: the names of their flags, or `none`.
enum AccessControlWord {
    /// An access control without flags.
    static let none = "none"
    static let words = AccessControlFlags.names.map(\.name) + [none]

    /// What stands behind `--access-control`; its protection class is that of ``AssignmentList``.
    static func constraints(_ text: String) throws(ToolError) -> AccessConstraints {
        var flags: AccessControlFlags = []
        let given = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for word in given where given != [none] {
            guard let flag = AccessControlFlags.names.first(where: { $0.name == word })?.flag else {
                throw .usage(
                    "access-control is \(none), or some of "
                        + AccessControlFlags.names.map(\.name).joined(separator: ", ") + " with commas between")
            }
            flags.insert(flag)
        }
        do throws(KeychainError) { return try AccessConstraints(flags) } catch { throw .usage(error.reason) }
    }

    /// The names of the flags that give constraints; empty where there were none, nil where no flags give them.
    static func names(of constraints: AccessConstraints) -> [String]? { AccessControlFlags(of: constraints)?.words }

    /// Constraints as they are shown to people, which means the same on the command line again.
    static func text(_ constraints: AccessConstraints) -> String {
        guard let names = names(of: constraints) else { return "other constraints" }
        return names.isEmpty ? none : names.joined(separator: ",")
    }
}
