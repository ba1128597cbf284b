import ChatelaineSystem
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Objects that each process has for itself.
///
/// A test that forks is a process of its own, since only one thread goes on in the child.
struct PerProcessTests {
    private final class Guarded: Sendable {
        let number: AdaptiveMutex<Int>

        init(_ number: Int) { self.number = AdaptiveMutex(number) }
    }

    @Test func allThreadsOfAProcessHaveOneObject() {
        let threads = 8
        let object = PerProcess { Guarded(0) }
        let done = CountingSemaphore(0)
        for _ in 0..<threads {
            let isStarted = Worker.start {
                object.value.number.withLock { $0 += 1 }
                done.signal()
            }
            #expect(isStarted)
        }
        for _ in 0..<threads { done.wait() }
        #expect(object.value.number.withLock { $0 } == threads)
    }

    @Test func anObjectIsReleasedWithItsHolder() {
        weak var released: Guarded?
        do {
            let holder = PerProcess { Guarded(0) }
            released = holder.value
            #expect(released != nil)
        }
        #expect(released == nil)
    }

    @Test func aChildWaitsForNoLockOfItsParent() async {
        await #expect(processExitsWith: .success) {
            let forgotten = AdaptiveMutex(0)
            let object = PerProcess(forget: { _ in forgotten.withLock { $0 += 1 } }, { Guarded(1) })
            let isHeld = CountingSemaphore(0)
            let isStarted = Worker.start {
                object.value.number.withLock { _ in
                    isHeld.signal()
                    while true { pause() }
                }
            }
            try #require(isStarted)
            isHeld.wait()
            let isFine = ForkedChild.run {
                let first = object.value
                return first.number.withLock { $0 } == 1 && object.value === first && forgotten.withLock { $0 } == 1
            }
            exit(isFine && forgotten.withLock { $0 } == 0 ? 0 : 1)
        }
    }
}
