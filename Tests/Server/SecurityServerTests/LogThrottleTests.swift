import TestSupport
import Testing

@testable import SecurityServer

/// No program can fill the log, and omitted lines are counted.
struct LogThrottleTests {
    private let clock = FakeClock(1_000_000)

    private func makeThrottle() -> LogThrottle { LogThrottle { [clock] in clock.now } }

    @Test func oneThingIsToldOfOnceAWhile() {
        let throttle = makeThrottle()
        #expect(throttle.admit("a") == 0)
        for _ in 0..<1000 { #expect(throttle.admit("a") == nil) }
        clock.pass(milliseconds: LogThrottle.quietMilliseconds - 1)
        #expect(throttle.admit("a") == nil)
        clock.pass(milliseconds: 1)
        #expect(throttle.admit("a") == 1001)
        #expect(throttle.admit("a") == nil)
    }

    @Test func manyThingsTogetherAreFewLines() {
        let throttle = makeThrottle()
        let things = 10_000
        #expect((0..<things).count { throttle.admit("\($0)") != nil } == LogThrottle.linesPerWindow)
        clock.pass(milliseconds: LogThrottle.quietMilliseconds)
        #expect(throttle.admit("new") == things - LogThrottle.linesPerWindow)
        #expect(throttle.admit("newer") == 0)
    }

    @Test func whatIsForgottenIsCountedAllTheSame() {
        let throttle = makeThrottle()
        #expect(throttle.admit("first") == 0)
        #expect(throttle.admit("first") == nil && throttle.admit("first") == nil)
        var leftOut = 0
        for index in 0..<(2 * LogThrottle.rememberedThings) {
            clock.pass(milliseconds: LogThrottle.quietMilliseconds)
            leftOut += throttle.admit("\(index)") ?? -1_000_000
        }
        #expect(leftOut == 2)
        #expect(throttle.admit("first") == 0)
    }
}
