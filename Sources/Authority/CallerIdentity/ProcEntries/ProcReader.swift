/// Somebody who may look at other processes and does it for us.
package protocol ProcReader: Sendable {
    /// As ``ProcEntry/open(in:)`` answers.
    func look(at entry: ProcEntry, in folder: Int32) -> OpenedEntry
}
