import ChatelaineIPC
import ChatelaineSystem
import Glibc
import ServerIPC
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import SecurityServer

/// The budget serves threads in a fair order, with a clock that the test sets.
struct BudgetTests {
    /// A third of the budget, as in the daemon.
    private static let largest = 100

    private let clock = FakeClock()
    private let budget: Budget

    init() {
        let clock = clock
        budget = Budget(bytes: 3 * Self.largest, largest: Self.largest, clock: { clock.now })
    }

    private static func slot(pid: Int32, program: UInt64?) -> ConnectionSlot {
        let slot = ConnectionSlot(socket: -1, pid: pid, uid: 1, requests: RequestLimiter())
        slot.program = program.map { Program(device: 1, inode: $0) }
        return slot
    }

    /// Takes a share at once or not at all.
    private func grab(_ bytes: Int, pid: Int32, program: UInt64?) -> Budget.Share? {
        try? budget.take(bytes, for: Self.slot(pid: pid, program: program), milliseconds: 0)
    }

    /// Waits for a share on a thread of its own, and notes when it is served.
    private func stand(_ name: String, _ slot: ConnectionSlot, in served: Served) {
        let budget = budget
        let line = budget.waiting
        #expect(
            Worker.start {
                let share = try? budget.take(Self.largest, for: slot)
                served.add(share == nil ? "not \(name)" : name, share)
            })
        do { try until(every: 50) { budget.waiting != line } } catch { Issue.record(error) }
    }

    private final class Served: Sendable {
        private let state = Monitor(State())

        private struct State {
            var names: [String] = []
            var shares: [String: Budget.Share] = [:]
        }

        func add(_ name: String, _ share: Budget.Share?) {
            state.withLock { state in
                state.names.append(name)
                state.shares[name] = share
            }
            state.broadcast()
        }

        func await(_ count: Int) -> [String] {
            state.wait { $0.names.count < count ? .nothing() : .answer($0.names) }
        }

        func share(of name: String) -> Budget.Share? { state.withLock { $0.shares[name] } }
    }

    @Test func oneProgramLeavesRoomForAnother() throws {
        let first = try #require(grab(100, pid: 1, program: 1))
        #expect(grab(100, pid: 2, program: 1) != nil, "two of three parts are for one program")
        #expect(grab(100, pid: 3, program: 1) == nil, "the third is not, whatever process asks")
        #expect(grab(1, pid: 1, program: 1) == nil)
        #expect(grab(100, pid: 4, program: 2) != nil)
        #expect(grab(1, pid: 5, program: 3) == nil, "everything is taken")
        budget.give(back: first)
        #expect(grab(100, pid: 5, program: 3) != nil)
    }

    @Test func whoIsNotKnownCountsAsOne() {
        #expect(grab(100, pid: 1, program: nil) != nil)
        #expect(grab(100, pid: 2, program: nil) != nil)
        #expect(grab(100, pid: 3, program: nil) == nil)
        #expect(grab(100, pid: 3, program: 1) != nil)
    }

    @Test func whoHoldsNothingComesFirst() throws {
        let shares = try (1...3).map { try #require(grab(100, pid: Int32($0), program: UInt64($0))) }
        let served = Served()
        stand("holder", Self.slot(pid: 1, program: 1), in: served)
        stand("early", Self.slot(pid: 4, program: 4), in: served)
        stand("late", Self.slot(pid: 5, program: 5), in: served)
        budget.give(back: shares[1])
        #expect(served.await(1) == ["early"])
        budget.give(back: shares[2])
        #expect(served.await(2) == ["early", "late"])
        #expect(budget.waiting == 1)
        // Program 1 holds a share, so room for the largest has to be left.
        budget.give(back: shares[0])
        budget.give(back: try #require(served.share(of: "early")))
        #expect(served.await(3).last == "holder")
    }

    @Test func whoUsedMuchWaitsBehindWhoUsedLittle() throws {
        let other = try #require(grab(100, pid: 9, program: 9))
        let slow = try #require(grab(100, pid: 1, program: 1))
        clock.pass(milliseconds: 5000)
        budget.give(back: slow)
        let quick = try #require(grab(100, pid: 2, program: 2))
        budget.give(back: quick)
        // The share is for another process of the slow program.
        let again = try #require(grab(100, pid: 3, program: 1))
        #expect(grab(100, pid: 3, program: 1) == nil)
        #expect(grab(100, pid: 2, program: 2) != nil, "the last part is for who has used little")
        let served = Served()
        stand("slow", Self.slot(pid: 4, program: 1), in: served)
        stand("quick", Self.slot(pid: 5, program: 2), in: served)
        stand("new", Self.slot(pid: 6, program: 3), in: served)
        budget.give(back: again)
        #expect(served.await(1) == ["new"])
        budget.give(back: other)
        #expect(budget.waiting == 2)
    }

    @Test func useIsForgottenWhenNobodyWants() throws {
        let slow = try #require(grab(100, pid: 1, program: 1))
        clock.pass(milliseconds: 60_000)
        budget.give(back: slow)
        #expect(grab(100, pid: 2, program: 2) != nil)
        #expect(grab(100, pid: 3, program: 3) != nil)
        #expect(grab(100, pid: 1, program: 1) != nil)
    }

    @Test func aLargeOneIsNotPassedByForEver() throws {
        let shares = try (1...3).map { try #require(grab(100, pid: Int32($0), program: UInt64($0))) }
        let served = Served()
        stand("large", Self.slot(pid: 4, program: 4), in: served)
        budget.give(back: shares[0])
        #expect(served.await(1) == ["large"])
        #expect(grab(1, pid: 5, program: 5) == nil)
    }

    @Test func whosePlaceIsGivenAwayLeavesTheLine() throws {
        let shares = try (1...3).map { try #require(grab(100, pid: Int32($0), program: UInt64($0))) }
        let served = Served()
        let slot = Self.slot(pid: 4, program: 4)
        stand("gone", slot, in: served)
        #expect(slot.idle != nil, "nothing is being done for it")
        stand("next", Self.slot(pid: 5, program: 5), in: served)
        slot.end()
        #expect(served.await(1) == ["not gone"])
        budget.give(back: shares[0])
        #expect(served.await(2) == ["not gone", "next"])
    }

    @Test func whatIsTakenComesBackWhole() {
        for round in 0..<1000 {
            let shares = (0..<7).compactMap {
                grab(1 + (round * 31 + $0 * 17) % 100, pid: Int32($0), program: UInt64($0 % 3))
            }
            #expect(!shares.isEmpty)
            for share in shares { budget.give(back: share) }
        }
        #expect(grab(100, pid: 1, program: 1) != nil && grab(100, pid: 2, program: 2) != nil)
        #expect(grab(100, pid: 3, program: 3) != nil)
    }
}
