/// Circumstances worth showing; no decision rests on them, since a program of the same user can hide each.
package struct Hints: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A debugger is attached (`TracerPid`).
    package static let traced = Hints(rawValue: 1)
    /// The file was removed from a root-only folder while the program ran, as a package upgrade does.
    package static let upgraded = Hints(rawValue: 2)
    /// The kernel does not vouch for the sender of each message, whatever ``Identity/assurance`` says besides.
    package static let degradedKernel = Hints(rawValue: 4)
}
