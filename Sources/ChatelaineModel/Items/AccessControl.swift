/// What protects an item: its protection class and, from a later version on, constraints on its use.
public struct AccessControl: Hashable, Sendable {
    public let protection: Accessibility

    public init(protection: Accessibility) { self.protection = protection }
}
