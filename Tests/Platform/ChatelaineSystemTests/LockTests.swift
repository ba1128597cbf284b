import ChatelaineSystem
import Dispatch
import Synchronization
import SystemCalls
import Testing

/// The lock and the semaphore on which threads wait.
struct LockTests {
    @Test func oneAtATimeHoldsALock() {
        let (threads, rounds) = (8, 5000)
        let isHeld = Atomic(false)
        let collisions = Atomic(0)
        let count = AdaptiveMutex(0)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            for _ in 0..<rounds {
                count.withLock { count in
                    if isHeld.exchange(true, ordering: .relaxed) { collisions.add(1, ordering: .relaxed) }
                    count += 1
                    isHeld.store(false, ordering: .relaxed)
                }
            }
        }
        #expect(count.withLock { $0 } == threads * rounds && collisions.load(ordering: .relaxed) == 0)
    }

    @Test func aLockThatIsTakenIsNotWaitedFor() {
        let value = AdaptiveMutex(1)
        #expect(value.withLockIfAvailable { $0 + 1 } == 2)
        let (isTaken, mayGo, isGone) = (CountingSemaphore(0), CountingSemaphore(0), CountingSemaphore(0))
        #expect(
            Worker.start {
                value.withLock { value in
                    isTaken.signal()
                    mayGo.wait()
                    value = 5
                }
                isGone.signal()
            })
        isTaken.wait()
        #expect(value.withLockIfAvailable { $0 } == nil)
        mayGo.signal()
        isGone.wait()
        #expect(value.withLockIfAvailable { $0 } == 5)
    }

    @Test func anErrorLetsGoOfALock() {
        let value = AdaptiveMutex(0)
        #expect(throws: Errno.exists) { try value.withLock { (_) throws(Errno) in throw .exists } }
        #expect(throws: Errno.exists) {
            try value.withLockIfAvailable { (_) throws(Errno) -> Int in throw .exists }
        }
        #expect(value.withLockIfAvailable { $0 } == 0)
    }

    @Test func aSemaphoreHasSoManyPlaces() {
        let places = CountingSemaphore(3)
        let present = Atomic(0)
        let most = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<500 {
                places.wait()
                most.max(present.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                present.subtract(1, ordering: .relaxed)
                places.signal()
            }
        }
        #expect(most.load(ordering: .relaxed) <= 3 && present.load(ordering: .relaxed) == 0)
    }
}
