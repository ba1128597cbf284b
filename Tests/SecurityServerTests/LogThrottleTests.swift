import Synchronization
import Testing

@testable import SecurityServer

/// No program fills the log, and what was left out is counted.
struct LogThrottleTests {
    private final class Clock: Sendable {
        let milliseconds = Mutex<Int64>(1_000_000)

        var throttle: LogThrottle { LogThrottle { self.milliseconds.withLock { $0 } } }

        func pass(_ milliseconds: Int64) { self.milliseconds.withLock { $0 += milliseconds } }
    }

    private let clock = Clock()

    @Test func oneThingIsToldOfOnceAWhile() {
        let throttle = clock.throttle
        #expect(throttle.admit("a") == 0)
        for _ in 0..<1000 { #expect(throttle.admit("a") == nil) }
        clock.pass(LogThrottle.quietMilliseconds - 1)
        #expect(throttle.admit("a") == nil)
        clock.pass(1)
        #expect(throttle.admit("a") == 1001)
        #expect(throttle.admit("a") == nil)
    }

    @Test func manyThingsTogetherAreFewLines() {
        let throttle = clock.throttle
        let things = 10_000
        #expect((0..<things).count { throttle.admit("\($0)") != nil } == LogThrottle.linesPerWindow)
        clock.pass(LogThrottle.quietMilliseconds)
        #expect(throttle.admit("new") == things - LogThrottle.linesPerWindow)
        #expect(throttle.admit("newer") == 0)
    }

    @Test func whatIsForgottenIsCountedAllTheSame() {
        let throttle = clock.throttle
        #expect(throttle.admit("first") == 0)
        #expect(throttle.admit("first") == nil && throttle.admit("first") == nil)
        var leftOut = 0
        for index in 0..<(2 * LogThrottle.rememberedThings) {
            clock.pass(LogThrottle.quietMilliseconds)
            leftOut += throttle.admit("\(index)") ?? -1_000_000
        }
        #expect(leftOut == 2)
        #expect(throttle.admit("first") == 0)
    }
}
