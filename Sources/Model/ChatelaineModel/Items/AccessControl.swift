/// What protects an item: its protection class and, where it has any, constraints on its use.
package struct AccessControl: Hashable, Sendable {
    package let protection: Accessibility
    /// Nil if the value is a protection class alone, like `kSecAttrAccessible`; ``SecAccessControlCreateWithFlags``
    /// always sets it.
    package let constraints: AccessConstraints?
    /// Whether the value is a stored item's, as a search returns it.
    ///
    /// It describes the same protection as one that a program made, and equals that.
    private let isOfItem: Bool

    package init(protection: Accessibility, constraints: AccessConstraints? = nil, isOfItem: Bool = false) {
        self.protection = protection
        self.constraints = constraints
        self.isOfItem = isOfItem
    }

    package static func == (first: AccessControl, second: AccessControl) -> Bool {
        first.protection == second.protection && first.constraints == second.constraints
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(protection)
        hasher.combine(constraints)
    }
}

extension AccessControl {
    /// Throws `errSecParam` if `kSecAttrAccessible` stands beside an object with constraints or another class
    /// (behaviour/access-control.md, 16).
    ///
    /// A returned dictionary has both, and can be used again. So a returned object agrees with its own class.
    func requireAgreement(with accessibility: Accessibility?) throws(KeychainError) {
        guard let accessibility else { return }
        guard protection != accessibility || constraints != nil && !isOfItem else { return }
        throw KeychainError(.param, "kSecAttrAccessible and kSecAttrAccessControl disagree; give one of them")
    }

    /// Throws if new items or changes break a rule, whoever sends them (behaviour/access-control.md, 18).
    static func validate(
        _ constraints: AccessConstraints?, with accessibility: Accessibility?, isSynchronizable: Bool
    ) throws(KeychainError) {
        guard let constraints else { return }
        guard accessibility != nil else { throw incomplete }
        guard !isSynchronizable || !constraints.isConstraining else { throw synchronizable }
    }

    static var incomplete: KeychainError {
        KeychainError(.param, "an access control has constraints and no protection class")
    }

    /// The error for a synchronizable item with constraints, which never leaves the device.
    package static var synchronizable: KeychainError {
        KeychainError(
            .param,
            "an item whose kSecAttrAccessControl has constraints never leaves the device; kSecAttrSynchronizable is false for it"
        )
    }
}
