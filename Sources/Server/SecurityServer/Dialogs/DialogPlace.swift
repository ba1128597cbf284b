import AgentProtocol
import Glibc

/// The place of a dialog.
///
/// Each place shows one dialog at a time.
enum DialogPlace: Hashable, Sendable {
    case display
    case terminal(String)

    /// Finds the place of a dialog by the same rules as security-agent.
    struct Finder: Sendable {
        private let pinentry: String
        private let hasDisplay: Bool

        /// Makes a finder for one session.
        ///
        /// - Parameter session: variables of the display, as `NAME=value`.
        init(pinentry: String, session: [String]) {
            self.pinentry = pinentry
            hasDisplay = session.contains { PinentryName.namesDisplay($0) }
        }

        /// The place of a dialog; nil where there is neither a display nor a terminal.
        func place(forTerminal terminal: String?) -> DialogPlace? {
            if hasDisplay, !PinentryName.needsTerminal(resolving: pinentry) { return .display }
            return terminal.map { .terminal($0) }
        }
    }
}
