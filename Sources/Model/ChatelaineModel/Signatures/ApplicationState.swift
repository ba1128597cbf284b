/// What is known of the program at a path.
///
/// The numbers are on the wire, and the words are in reports and lists (`wire.md`). They never change.
package enum ApplicationState: UInt8, CBORValue, CaseIterable, Sendable {
    /// Only root can change the file or put another in its place, so nothing needs to be recorded.
    case rootOnly = 1
    /// The user declared the program as in development: its content may change at any time.
    case development = 2
    /// The program never stored anything: no digest is recorded, and it owns no item.
    case unknown = 3
    /// Its digest is the recorded one.
    case pinned = 4
    /// The file at the path is not the recorded one, or the record does not count.
    case changed = 5
    /// The signature counts, and identifies the program.
    case signed = 6
    /// The program has a signature that does not count, so it has no identity.
    case rejected = 7

    package var word: String {
        switch self {
        case .rootOnly: "rootOnly"
        case .development: "development"
        case .unknown: "unknown"
        case .pinned: "pinned"
        case .changed: "changed"
        case .signed: "signed"
        case .rejected: "rejected"
        }
    }
}
