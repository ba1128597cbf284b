/// What has become of a row that a check found damaged. The numbers are on the wire: they never change meaning.
package enum CheckOutcome: UInt8, Sendable, CaseIterable {
    /// In the quarantine.
    case setAside = 1
    /// In the quarantine, and the row of a snapshot in its place.
    case replaced = 2
    /// Its digests were written anew; nothing of it is lost.
    case mended = 3
    /// Where it was, since nothing could be written.
    case left = 4
}
