/// What is known of the program at a path.
public enum ApplicationState: String, Sendable {
    /// Only root can change the file or put another in its place, so nothing needs to be recorded.
    case rootOnly
    /// The user declared it as in development: its content may change all day.
    case development
    /// Never stored anything: no digest is recorded, and it owns nothing.
    case unknown
    /// Its digest is the recorded one.
    case pinned
    /// Another program stands where the recorded one stood.
    case changed
}
