/// Whether a search may ask the user (`kSecUseAuthenticationUI`).
package enum AuthenticationUI: UInt8, Sendable {
    case allow = 0
    case fail = 1
    /// Leave out items that would need the user; for searches only.
    case skip = 2
}
