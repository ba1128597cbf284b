/// The result of one check.
struct Finding: Sendable, Equatable {
    enum Level: String, Sendable {
        case ok = "ok"
        /// It works, with less than is possible.
        case degraded = "degraded"
        /// Calls fail, or something is accessible that must not be.
        case problem = "problem"
    }

    /// A dotted name, which never changes.
    let name: String
    let level: Level
    let text: String
    /// What to do about it; empty if nothing is necessary.
    let remedy: String

    init(_ name: String, _ level: Level, _ text: String, remedy: String = "") {
        self.name = name
        self.level = level
        self.text = text
        self.remedy = remedy
    }
}
