/// Who declared an anchor to be a team's. The numbers are on the wire.
package enum AnchorOrigin: UInt8, CBORValue, Sendable {
    /// Root, by a file below `/etc`.
    case root = 1
    /// The person, by `security app team add`.
    case person = 2
}
