import AgentProtocol
import Glibc

/// Where a dialog stands: one at a time.
enum DialogPlace: Hashable, Sendable {
    case display
    case terminal(String)

    /// Finds the place of a dialog, as security-agent will.
    struct Finder: Sendable {
        private let pinentry: String
        private let hasDisplay: Bool

        /// - Parameter session: variables of the display, as `NAME=value`.
        init(pinentry: String, session: [String]) {
            self.pinentry = pinentry
            hasDisplay = session.contains { PinentryName.namesDisplay($0) }
        }

        /// nil where there is neither a display nor a terminal.
        func place(forTerminal terminal: String?) -> DialogPlace? {
            if hasDisplay, !PinentryName.needsTerminal(resolving: pinentry) { return .display }
            return terminal.map { .terminal($0) }
        }
    }
}
