/// How far a process has a measure of its sandbox.
///
/// It is here for `security` as well, which has nothing else of sandboxes. The numbers go from enclaved to securityd
/// (`enclave-protocol.md`), and the words are in reports (`wire.md`). They never change.
package enum SandboxLevel: UInt8, CaseIterable, Sendable {
    case on = 1
    /// The system offers the measure, but the process does not have it.
    case off = 2
    /// The kernel, the C library or the container does not offer the measure.
    case impossible = 3
    /// The process tried a forbidden call since its start: because of an intruder, or a library that changed.
    case refused = 4

    package var word: String {
        switch self {
        case .on: "on"
        case .off: "off"
        case .impossible: "impossible"
        case .refused: "refused"
        }
    }

    package init?(word: String) {
        guard let level = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = level
    }
}
