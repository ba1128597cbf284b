import Synchronization
import Testing

@testable import CallerIdentity

/// Slow reads of a process are repeated for a limited time, on a clock that the test moves.
@Suite struct ProcReadRetryTests {
    /// A clock that moves only with a read or a pause.
    private final class Clock: Sendable {
        /// The time of a read while the machine is slow.
        static let slowLook: UInt64 = 16_000
        private let time = Mutex<UInt64>(0)
        private let counts = Mutex((looks: 0, pauses: 0))

        var looks: Int { counts.withLock { $0.looks } }
        var pauses: Int { counts.withLock { $0.pauses } }

        var tries: ProcReadRetry {
            ProcReadRetry(
                now: { self.time.withLock { $0 } },
                pause: { nanoseconds in
                    self.counts.withLock { $0.pauses += 1 }
                    self.time.withLock { $0 += nanoseconds }
                })
        }

        /// Returns nothing while the machine is slow.
        func look(slowUntil end: UInt64) -> OpenedEntry? {
            counts.withLock { $0.looks += 1 }
            return time.withLock { now in
                guard now < end else { return OpenedEntry(descriptors: []) }
                now += Self.slowLook
                return nil
            }
        }
    }

    @Test(
        "A machine that is slow for a while keeps nobody out",
        arguments: [0, 1, 5, 72, 500] as [UInt64])
    func slowPhases(milliseconds: UInt64) {
        let clock = Clock()
        #expect(clock.tries.first { clock.look(slowUntil: milliseconds * 1_000_000) }?.error == 0)
        #expect(milliseconds > 0 || clock.pauses == 0)
    }

    @Test("A process that never lets itself be looked at in one go is given up, and most of the time was waited")
    func neverInOneGo() {
        let clock = Clock()
        #expect(clock.tries.first { clock.look(slowUntil: .max) } == nil)
        #expect(clock.tries.now() >= ProcReadRetry.patience)
        #expect(clock.tries.now() < ProcReadRetry.patience + 2 * ProcReadRetry.longestPause)
        #expect(UInt64(clock.looks) * Clock.slowLook < ProcReadRetry.patience / 10)
    }

    @Test("An error ends it at once") func errors() {
        let clock = Clock()
        var looks = 0
        let opened = clock.tries.first {
            looks += 1
            return OpenedEntry(error: 13)
        }
        #expect(opened?.error == 13 && looks == 1 && clock.pauses == 0)
    }
}
