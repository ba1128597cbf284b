/// What protects an item: its protection class and, where it has any, constraints on its use.
package struct AccessControl: Hashable, Sendable {
    package let protection: Accessibility
    /// Nil for what describes a class alone, as `kSecAttrAccessible` does; ``SecAccessControlCreateWithFlags`` never makes such a one.
    package let constraints: AccessConstraints?

    package init(protection: Accessibility, constraints: AccessConstraints? = nil) {
        self.protection = protection
        self.constraints = constraints
    }

    /// As a query compares it: without what was filled in when an item was stored.
    package var unbound: AccessControl { AccessControl(protection: protection, constraints: constraints?.unbound) }
}
