/// What the user decides about programs (`security app`). Paths are absolute.
public enum ApplicationCommand: Sendable, Equatable {
    case list
    /// The executable as it is now is the application that was pinned before.
    case accept(path: String)
    /// An executable, or every one below a folder, is being developed: no digest counts.
    case develop(path: String)
    /// Takes the decision about a path back.
    case forget(path: String)
}
