/// Why a snapshot was taken. The numbers are in files and on the wire, and never change meaning.
package enum SnapshotReason: UInt8, Sendable, CaseIterable {
    /// A day passed and something changed.
    case daily = 1
    /// The format of the store was about to change.
    case migration = 2
    /// A person asked for it.
    case request = 3
    /// Keys were replaced, and rows were sealed anew.
    case newKeys = 4
}
