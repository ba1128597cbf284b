/// The user and the group that a process runs as, as the kernel says it.
package struct ProcessUser: Hashable, Sendable {
    package let user: UInt32
    package let group: UInt32

    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }
}

/// Whose processes an entry lets in, whatever program they run: `SecAccessCreateWithOwnerAndACL`, and CSSM's subject of processes.
package struct ProcessOwner: Hashable, Sendable {
    /// What counts, with Apple's numbers (`SecAccessOwnerType`); others are kept.
    package struct Rule: OptionSet, Hashable, Sendable {
        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The user has to be that one.
        package static let user = Rule(rawValue: 0x01)
        /// The group has to be that one, the effective one of the process.
        package static let group = Rule(rawValue: 0x02)
        /// Root counts as that user.
        package static let honorsRoot = Rule(rawValue: 0x100)
    }

    package let rule: Rule
    package let user: UInt32
    package let group: UInt32

    /// Nil where neither user nor group counts, which would be everybody.
    package init?(_ rule: Rule, user: UInt32, group: UInt32) {
        guard !rule.isDisjoint(with: [.user, .group]) else { return nil }
        self.rule = rule
        self.user = user
        self.group = group
    }

    /// Whether a process of these runs as they say.
    func admits(_ process: ProcessUser) -> Bool {
        let isUser = process.user == user || rule.contains(.honorsRoot) && process.user == 0
        return (!rule.contains(.user) || isUser) && (!rule.contains(.group) || process.group == group)
    }
}

extension ProcessOwner: CBORValue {
    /// An array of rule, user and group; what does not count is kept as it came.
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
