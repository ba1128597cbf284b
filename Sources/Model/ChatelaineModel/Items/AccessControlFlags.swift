/// The flags of `SecAccessControlCreateWithFlags`, with Apple's numbers.
package struct AccessControlFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt

    package init(rawValue: UInt) { self.rawValue = rawValue }

    package static let userPresence = AccessControlFlags(rawValue: 1 << 0)
    package static let biometryAny = AccessControlFlags(rawValue: 1 << 1)
    package static let biometryCurrentSet = AccessControlFlags(rawValue: 1 << 3)
    package static let devicePasscode = AccessControlFlags(rawValue: 1 << 4)
    package static let companion = AccessControlFlags(rawValue: 1 << 5)
    package static let or = AccessControlFlags(rawValue: 1 << 14)
    package static let and = AccessControlFlags(rawValue: 1 << 15)
    package static let privateKeyUsage = AccessControlFlags(rawValue: 1 << 30)
    package static let applicationPassword = AccessControlFlags(rawValue: 1 << 31)

    /// All flags with a meaning, and their names in Apple's Swift module.
    package static let names: [(flag: AccessControlFlags, name: String)] = [
        (.userPresence, "userPresence"), (.biometryAny, "biometryAny"), (.biometryCurrentSet, "biometryCurrentSet"),
        (.devicePasscode, "devicePasscode"), (.companion, "companion"), (.or, "or"), (.and, "and"),
        (.privateKeyUsage, "privateKeyUsage"), (.applicationPassword, "applicationPassword"),
    ]

    /// The names of the flags that are set.
    package var words: [String] { Self.names.filter { contains($0.flag) }.map(\.name) }

    /// The flags that become a constraint each, in the order in which they are combined.
    fileprivate static let constraints: [(flag: AccessControlFlags, constraint: AccessConstraint)] = [
        (.userPresence, .userPresence), (.biometryAny, .biometryAny), (.biometryCurrentSet, .biometryCurrentSet(nil)),
        (.devicePasscode, .devicePasscode), (.companion, .companion),
    ]

    /// Throws `errSecParam` for flags that cannot be combined (behaviour/access-control.md, 3 to 7).
    fileprivate func validate() throws(KeychainError) {
        guard isSubset(of: Self.names.reduce([]) { $0.union($1.flag) }) else {
            throw KeychainError(
                .param, "an access control has a flag that means nothing; this library does not know it")
        }
        guard !isSuperset(of: [.or, .and]) else {
            throw KeychainError(.param, "an access control combines its constraints by or, or by and, not by both")
        }
        guard !isSuperset(of: [.biometryAny, .biometryCurrentSet]) else {
            throw KeychainError(.param, "an access control has biometryAny or biometryCurrentSet, not both")
        }
        let others: AccessControlFlags = [.biometryAny, .biometryCurrentSet, .devicePasscode, .companion]
        guard !contains(.userPresence) || isDisjoint(with: others) else {
            throw KeychainError(
                .param,
                "userPresence is a biometric or the passcode by itself; it goes without biometryAny, biometryCurrentSet, "
                    + "devicePasscode and companion")
        }
    }

    /// The flags that give these constraints; nil if no flags do.
    package init?(of constraints: AccessConstraints) {
        let stored = constraints.unbound
        var flags: AccessControlFlags = stored.needsApplicationPassword ? .applicationPassword : []
        if stored.operations[.sign] != nil { flags.insert(.privateKeyUsage) }
        let constraint = stored.operations[.sign] ?? stored.operations[.decrypt] ?? .always
        for leaf in constraint.leaves {
            if let flag = Self.constraints.first(where: { $0.constraint == leaf })?.flag { flags.insert(flag) }
        }
        if case .atLeast(let count, _) = constraint { flags.insert(count == 1 ? .or : .and) }
        guard let made = try? AccessConstraints(flags), made == stored else { return nil }
        self = flags
    }
}

extension AccessConstraints {
    /// The constraints that `SecAccessControlCreateWithFlags` makes of flags (behaviour/access-control.md, 10 to 12).
    ///
    /// Several constraints without `or` or `and` all have to be satisfied.
    package init(_ flags: AccessControlFlags) throws(KeychainError) {
        try flags.validate()
        self.init()
        needsApplicationPassword = flags.contains(.applicationPassword)
        let parts = AccessControlFlags.constraints.filter { flags.contains($0.flag) }.map(\.constraint)
        let constraint: AccessConstraint =
            switch parts.count {
            case 0: .always
            case 1: parts[0]
            default: .atLeast(flags.contains(.or) ? 1 : parts.count, of: parts)
            }
        if flags.contains(.privateKeyUsage) {
            operations = [
                .sign: constraint, .computeSharedSecret: constraint, .decapsulate: constraint, .delete: .always,
            ]
        } else if parts.isEmpty {
            otherwise = .always
        } else {
            operations = [.decrypt: constraint, .encrypt: .always, .delete: .always]
        }
    }
}
