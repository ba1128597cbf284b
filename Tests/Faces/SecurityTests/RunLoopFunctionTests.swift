import CoreFoundation
import Foundation
import Security
import Testing

/// Tests of CoreFoundation's functions for run loops, called as on Apple's platforms.
struct RunLoopFunctionTests {
    @Test func aLoopIsThatOfItsThread() async throws {
        let (isOne, isMain, isOther) = await onThread {
            (
                CFEqual(CFRunLoopGetCurrent(), CFRunLoopGetCurrent()),
                CFEqual(CFRunLoopGetCurrent(), CFRunLoopGetMain()),
                CFHash(CFRunLoopGetCurrent()) == CFHash(CFRunLoopGetMain())
            )
        }
        #expect(isOne && !isMain && !isOther)
        #expect(CFRunLoopGetMain() == CFRunLoopGetMain())
    }

    @Test func aLoopRunsUntilItIsStopped() async {
        let isTimerFired = await onThread {
            let fired = Counter()
            let timer = Timer(timeInterval: 0, repeats: false) { _ in
                fired.count += 1
                CFRunLoopStop(CFRunLoopGetCurrent())
            }
            RunLoop.current.add(timer, forMode: .default)
            let keeper = Timer(timeInterval: 3600, repeats: false) { _ in }
            RunLoop.current.add(keeper, forMode: .default)
            CFRunLoopRun()
            return fired.count
        }
        #expect(isTimerFired == 1)
    }

    @Test func aRunSaysWhyItEnded() async {
        let results = await onThread {
            let nothing = CFRunLoopRunInMode(.defaultMode, 0, true)
            let timer = Timer(timeInterval: 3600, repeats: false) { _ in }
            RunLoop.current.add(timer, forMode: .default)
            let time = CFRunLoopRunInMode(.defaultMode, 0, false)
            let stop = Timer(timeInterval: 0, repeats: false) { _ in CFRunLoopStop(CFRunLoopGetCurrent()) }
            RunLoop.current.add(stop, forMode: .default)
            let stopped = CFRunLoopRunInMode(.defaultMode, 600, false)
            CFRunLoopWakeUp(CFRunLoopGetCurrent())
            return [nothing, time, stopped, CFRunLoopRunInMode(CFRunLoopMode("of nobody" as CFString), 0, true)]
        }
        #expect(results == [.finished, .timedOut, .stopped, .finished])
    }

    private final class Counter: @unchecked Sendable { var count = 0 }

    private func onThread<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) async -> Answer {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}
