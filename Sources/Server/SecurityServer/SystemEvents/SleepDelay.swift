/// Which sleep of the machine is announced, and whether the keys are known to be gone since then.
///
/// Sleeps are numbered: the machine may wake and be about to sleep once more, with keys that came back between, before the answer to
/// the first comes.
struct SleepDelay {
    /// Since it was announced, and as long as the machine is not said to be awake again.
    private(set) var isGoingToSleep = false
    private var (announced, told, answered): (UInt64, UInt64, UInt64) = (0, 0, 0)

    /// Takes what logind announces; whether that is a sleep, each of which is to be told.
    mutating func hear(_ isBeginning: Bool) -> Bool {
        isGoingToSleep = isBeginning
        if isBeginning { announced += 1 }
        return isBeginning
    }

    /// Takes what logind answers when it is asked. A sleep whose announcement came before the answer is the same one.
    mutating func learn(_ isPreparing: Bool) -> Bool {
        guard isPreparing, isGoingToSleep else { return hear(isPreparing) }
        return false
    }

    /// The last sleep that was announced is being told to whoever locks.
    mutating func tell() { told = announced }

    /// The keys are gone since the sleep that was told.
    mutating func answer() { answered = told }

    /// Whether the machine may go to sleep.
    var isOver: Bool { isGoingToSleep && answered == announced }
}
