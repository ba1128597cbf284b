/// Somebody who may look at other processes and does it for us.
public protocol Witness: Sendable {
    /// As ``Sight/open(in:)`` answers.
    func look(at sight: Sight, in folder: Int32) -> Sighting
}
