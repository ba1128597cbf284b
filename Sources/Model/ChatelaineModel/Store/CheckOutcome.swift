/// What a check did with a damaged row. The numbers are on the wire and never change meaning.
package enum CheckOutcome: UInt8, Sendable, CaseIterable {
    /// The row is in the quarantine.
    case setAside = 1
    /// The row is in the quarantine, and a row from a snapshot took its place.
    case replaced = 2
    /// The digests of the row were written anew; nothing is lost.
    case mended = 3
    /// The row stayed where it was, since nothing could be written.
    case left = 4
}
