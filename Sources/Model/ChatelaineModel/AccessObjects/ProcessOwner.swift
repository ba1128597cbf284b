/// The user and the group of a process, as the kernel reports them.
package struct ProcessUser: Hashable, Sendable {
    package let user: UInt32
    package let group: UInt32

    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }
}

/// The user or group whose processes an entry lets in, whatever they run.
///
/// `SecAccessCreateWithOwnerAndACL` makes such entries; they are CSSM's subject of processes.
package struct ProcessOwner: Hashable, Sendable {
    /// What is compared, with Apple's numbers (`SecAccessOwnerType`); unknown bits are kept.
    package struct Rule: OptionSet, Hashable, Sendable {
        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The user has to be ``ProcessOwner/user``.
        package static let user = Rule(rawValue: 0x01)
        /// The effective group of the process has to be ``ProcessOwner/group``.
        package static let group = Rule(rawValue: 0x02)
        /// Root counts as ``ProcessOwner/user`` too.
        package static let honorsRoot = Rule(rawValue: 0x100)
    }

    package let rule: Rule
    package let user: UInt32
    package let group: UInt32

    /// Nil if neither user nor group is compared, which would let everyone in.
    package init?(_ rule: Rule, user: UInt32, group: UInt32) {
        guard !rule.isDisjoint(with: [.user, .group]) else { return nil }
        self.rule = rule
        self.user = user
        self.group = group
    }

    /// Whether a process runs as the user and group that the rule demands.
    func admits(_ process: ProcessUser) -> Bool {
        let isUser = process.user == user || rule.contains(.honorsRoot) && process.user == 0
        return (!rule.contains(.user) || isUser) && (!rule.contains(.group) || process.group == group)
    }
}

extension ProcessOwner: CBORValue {
    /// Encoded as an array of rule, user and group; a number that is not compared is kept.
    package func encode(to writer: inout CBORWriter) {
        writer.writeArray(count: 3)
        for number in [UInt64(rule.rawValue), UInt64(user), UInt64(group)] { writer.write(number) }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        guard try reader.readArrayCount(limit: 3) == 3 else { throw .missingField }
        let rule = UInt16(exactly: try reader.readUnsigned())
        let user = UInt32(exactly: try reader.readUnsigned())
        let group = UInt32(exactly: try reader.readUnsigned())
        guard let rule, let user, let group, let owner = ProcessOwner(Rule(rawValue: rule), user: user, group: group)
        else { throw .unexpectedType }
        self = owner
    }
}
