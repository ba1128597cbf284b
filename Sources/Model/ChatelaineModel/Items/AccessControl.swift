/// What protects an item: its protection class and, from a later version on, constraints on its use.
package struct AccessControl: Hashable, Sendable {
    package let protection: Accessibility

    package init(protection: Accessibility) { self.protection = protection }
}
