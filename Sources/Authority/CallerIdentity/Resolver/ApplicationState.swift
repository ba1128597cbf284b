/// What is known of the program at a path. The words are in reports (`wire.md`): they never change.
package enum ApplicationState: String, Sendable {
    /// Only root can change the file or put another in its place, so nothing needs to be recorded.
    case rootOnly = "rootOnly"
    /// The user declared it as in development: its content may change all day.
    case development = "development"
    /// Never stored anything: no digest is recorded, and it owns nothing.
    case unknown = "unknown"
    /// Its digest is the recorded one.
    case pinned = "pinned"
    /// Another program stands where the recorded one stood.
    case changed = "changed"
}
