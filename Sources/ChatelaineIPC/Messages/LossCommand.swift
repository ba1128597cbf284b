/// What can be done about losses of the store (`security check`).
public enum LossCommand: Sendable, Equatable {
    /// Says what is missing, or may be, and what was set aside.
    case show
    /// Takes note that the user knows of it; nothing else changes.
    case acknowledge
}
