import ChatelaineModel

/// Which answers to requests nobody can ask for any more.
///
/// No time stands beside an answer: it would tell a thief of the file when somebody changed something, and a clock that is set
/// would make answers too old or too young. Instead it is noted now and then in memory how far changes have come, by a
/// clock that nobody sets. What was there when the store was opened counts as made then.
struct AnswerExpiry {
    /// How long an answer is kept at least, in seconds: a client repeats a request for half of that after it first sent it, and
    /// a store may take the other half to open before it hears of that.
    static let lifetime = 2 * Double(Limits.repetitionSeconds)

    private var notes: [(time: Double, sequence: UInt64)] = []

    /// Notes that all changes up to `sequence` have been made by now; answers the number of the last one whose answer may be
    /// forgotten, nil where there is none yet.
    mutating func note(_ sequence: UInt64, at time: Double) -> UInt64? {
        notes.append((time, sequence))
        guard let last = notes.lastIndex(where: { time - $0.time >= Self.lifetime }) else { return nil }
        notes.removeFirst(last)
        return notes.first?.sequence
    }
}
