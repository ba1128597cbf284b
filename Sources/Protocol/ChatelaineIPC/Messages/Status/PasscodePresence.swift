/// Whether there is a passcode.
///
/// The words are in reports (`wire.md`); they never change.
package enum PasscodePresence: String, CaseIterable, Sendable {
    case set = "set"
    case none = "none"
}
