/// Whether a keychain besides the default one is open.
///
/// The words are in reports (`wire.md`); they never change.
package enum KeychainPresence: String, CaseIterable, Sendable {
    case open = "open"
    case notOpen = "not open"
}
