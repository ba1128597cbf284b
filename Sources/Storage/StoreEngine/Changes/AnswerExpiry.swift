import ChatelaineModel

/// Decides which answers to requests no client can ask for any more.
///
/// No time stands beside an answer in the file. A thief of the file would learn when somebody changed something, and a
/// change of the clock would make answers too old or too young. Instead, this value notes in memory now and then the
/// number of the last change, by a clock that nobody can set. An answer from before the opening counts as made then.
struct AnswerExpiry {
    /// How long an answer is kept at least, in seconds.
    ///
    /// A client repeats a request for half of that time after it first sent it. A store may take the other half to open
    /// before it hears of the request.
    static let lifetime = 2 * Double(Limits.repetitionSeconds)

    private var notes: [(time: Double, sequence: UInt64)] = []

    /// Notes that all changes up to `sequence` have been made by now.
    ///
    /// - Returns: the number of the last change whose answer may be forgotten; nil where there is none yet.
    mutating func note(_ sequence: UInt64, at time: Double) -> UInt64? {
        notes.append((time, sequence))
        guard let last = notes.lastIndex(where: { time - $0.time >= Self.lifetime }) else { return nil }
        notes.removeFirst(last)
        return notes.first?.sequence
    }
}
