/// Tracks which sleep of the machine is announced, and whether the keys are known to be gone since then.
///
/// Sleeps are numbered. The machine may wake and prepare for another sleep, with keys that came back in between, before
/// the answer to the first one comes.
struct SleepDelay {
    /// Whether a sleep was announced, and the machine was not reported awake again.
    private(set) var isGoingToSleep = false
    private var (announced, told, answered): (UInt64, UInt64, UInt64) = (0, 0, 0)

    /// Notes an announcement of logind.
    ///
    /// Returns whether it is a sleep, each of which has to be reported.
    mutating func hear(_ isBeginning: Bool) -> Bool {
        isGoingToSleep = isBeginning
        if isBeginning { announced += 1 }
        return isBeginning
    }

    /// Notes the answer of logind to a question.
    ///
    /// A sleep that was announced before the answer is the same one, as long as keys are known to be left. A sleep that
    /// was announced and is over may have ended unheard, with a bus that was lost.
    mutating func learn(_ isPreparing: Bool) -> Bool {
        guard isPreparing, isGoingToSleep, !isOver else { return hear(isPreparing) }
        return false
    }

    /// Notes that the last announced sleep is being reported.
    mutating func tell() { told = announced }

    /// Notes that the keys are gone since the reported sleep.
    mutating func answer() { answered = told }

    /// Whether the machine may go to sleep.
    var isOver: Bool { isGoingToSleep && answered == announced }
}
