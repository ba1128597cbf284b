/// What became of one measure.
public struct SandboxState: Sendable, Equatable {
    public enum Level: String, Sendable {
        case on
        /// The daemon could have it and does not.
        case off
        /// The kernel, the C library or the container does not offer it.
        case impossible
    }

    /// A word of ``SandboxMeasure``, or `refused`.
    public let name: String
    public let level: Level
    /// How far, or why not.
    public let detail: String

    public init(_ name: String, _ level: Level, _ detail: String = "") {
        self.name = name
        self.level = level
        self.detail = detail
    }
}
