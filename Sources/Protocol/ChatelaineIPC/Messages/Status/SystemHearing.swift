/// How much of the system securityd's helper hears.
///
/// The numbers go over the helper's channel. The words are in reports (`wire.md`); they never change.
package enum SystemHearing: Int32, CaseIterable, Sendable {
    case noLibrary = 16
    case noBus = 17
    case noLogind = 18
    /// logind is heard, but does not allow a delay of the sleep.
    case noDelay = 19
    case complete = 20

    package var word: String {
        switch self {
        case .noLibrary: "no-library"
        case .noBus: "no-bus"
        case .noLogind: "no-logind"
        case .noDelay: "no-delay"
        case .complete: "complete"
        }
    }

    package init?(word: String) {
        guard let hearing = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = hearing
    }
}
