/// Why a snapshot was taken. The numbers are in files and on the wire: they never change meaning.
package enum SnapshotReason: UInt8, Sendable, CaseIterable {
    /// A day has gone by, and something changed.
    case daily = 1
    /// The format of the store was about to change.
    case migration = 2
    /// Somebody asked for it.
    case request = 3
    /// Keys were replaced, and rows sealed anew.
    case newKeys = 4
}
