/// What one check found.
struct Finding: Sendable, Equatable {
    enum Level: String, Sendable {
        case ok = "ok"
        /// It works, with less than it could have.
        case degraded = "degraded"
        /// Calls fail, or something is open that must not be.
        case problem = "problem"
    }

    /// A dotted name, which does not change.
    let name: String
    let level: Level
    let text: String
    /// How to mend it; empty where there is nothing to mend.
    let remedy: String

    init(_ name: String, _ level: Level, _ text: String, remedy: String = "") {
        self.name = name
        self.level = level
        self.text = text
        self.remedy = remedy
    }
}
