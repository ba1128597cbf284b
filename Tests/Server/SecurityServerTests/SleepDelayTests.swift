import Testing

@testable import SecurityServer

/// The machine may go to sleep once the keys are gone.
struct SleepDelayTests {
    @Test func onceTheKeysAreGone() {
        var delay = SleepDelay()
        let isToBeTold = delay.hear(true)
        #expect(isToBeTold && !delay.isOver)
        delay.tell()
        #expect(!delay.isOver)
        delay.answer()
        #expect(delay.isOver)
        let isToldAwake = delay.hear(false)
        #expect(!isToldAwake && !delay.isOver)
    }

    /// The answer to the first sleep does not cover keys that came back before the second.
    @Test func theAnswerToAnEarlierSleepIsNone() {
        var delay = SleepDelay()
        _ = delay.hear(true)
        delay.tell()
        _ = delay.hear(false)
        _ = delay.hear(true)
        delay.answer()
        #expect(!delay.isOver)
        delay.tell()
        delay.answer()
        #expect(delay.isOver)
    }

    /// A request at the greeting may learn of the same sleep twice.
    @Test func anAnswerAfterTheAnnouncementIsTheSameSleep() {
        var delay = SleepDelay()
        _ = delay.hear(true)
        let isAnother = delay.learn(true)
        #expect(!isAnother)
        delay.tell()
        delay.answer()
        #expect(delay.isOver)
        _ = delay.learn(false)
        let isNew = delay.learn(true)
        #expect(isNew && delay.isGoingToSleep && !delay.isOver)
    }

    /// The waking in between is missed where the bus was lost.
    @Test func anAnswerAfterAFinishedSleepIsAnother() {
        var delay = SleepDelay()
        _ = delay.hear(true)
        delay.tell()
        delay.answer()
        let isAnother = delay.learn(true)
        #expect(isAnother && !delay.isOver)
    }

    @Test func nobodySleepsUnasked() {
        var delay = SleepDelay()
        delay.answer()
        #expect(!delay.isOver)
        let isToBeTold = delay.learn(false)
        #expect(!isToBeTold && !delay.isOver)
    }
}
