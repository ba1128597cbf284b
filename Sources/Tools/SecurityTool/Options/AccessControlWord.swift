import ChatelaineModel

/// Writes access controls on the command line: as the names of their flags, or as `none`.
enum AccessControlWord {
    /// An access control without flags.
    static let none = "none"
    static let words = AccessControlFlags.names.map(\.name) + [none]

    /// The constraints in a value of `--access-control`; ``AssignmentList`` adds the protection class.
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

    /// The names of the flags that give these constraints; nil if no flags do.
    static func names(of constraints: AccessConstraints) -> [String]? { AccessControlFlags(of: constraints)?.words }

    /// The constraints in a form for people, which the command line accepts.
    static func text(_ constraints: AccessConstraints) -> String {
        guard let names = names(of: constraints) else { return "other constraints" }
        return names.isEmpty ? none : names.joined(separator: ",")
    }
}
