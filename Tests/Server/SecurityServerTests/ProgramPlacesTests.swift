import ChatelaineModel
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import SecurityServer

/// Programs share places for slow work, and wait for their turn.
@Suite struct ProgramPlacesTests {
    /// Places with requests that hold theirs until the gate opens.
    private final class Holders: Sendable {
        let places: ProgramPlaces<String>
        let gate = Gate()
        /// The requests in the order in which they got their places.
        let served = Mutex<[String]>([])

        init(_ count: Int, keepsOne: Bool = false, mostWaiting: Int = .max, patience: Int = 600_000) {
            places = ProgramPlaces(
                count, for: "tests", keepsOne: keepsOne, mostWaiting: mostWaiting, patience: patience)
            gate.shut()
        }

        /// - Parameter name: the program, and what tells its requests apart after a space.
        func begin(
            _ name: String, until gate: Gate? = nil, from slot: ConnectionSlot? = nil,
            while isWanted: @escaping @Sendable () -> Bool = { true }
        ) -> Work<Void> {
            let program = name.split(separator: " ").first.map { String($0) } ?? name
            return Work { [self] in
                try places.hold(for: program, from: slot, while: isWanted) { () throws(KeychainError) in
                    served.withLock { $0.append(name) }
                    (gate ?? self.gate).pass()
                }
            }
        }

        func reach(served: Int, waiting: Int) {
            do {
                try until { self.served.withLock({ $0.count }) >= served && places.waiting >= waiting }
            } catch { Issue.record(error) }
        }

        var order: [String] { served.withLock { $0 } }

        /// Begins requests one by one, so that they arrive in this order.
        func line(_ names: [String], served: Int) -> [Work<Void>] {
            let before = places.waiting
            return names.indices.map { index in
                let work = begin(names[index])
                reach(served: served, waiting: before + index + 1)
                return work
            }
        }

        /// Opens the gate, and waits until all have ended.
        func finish(_ works: [Work<Void>]) throws {
            gate.open()
            for work in works { try work.value() }
            #expect(places.waiting == 0)
            // Every place is free again.
            #expect(try places.hold(for: "last") { () throws(KeychainError) in 7 } == 7)
        }
    }

    private final class Counts: Sendable {
        let values = Mutex((inside: 0, most: 0, done: 0))
    }

    private func slot(_ requests: RequestLimiter = RequestLimiter()) -> ConnectionSlot {
        let slot = ConnectionSlot(socket: -1, pid: 1, uid: 1, requests: requests)
        slot.work()
        return slot
    }

    // MARK: Who is next

    @Test func aProgramAloneHasAllPlaces() throws {
        let holders = Holders(4)
        let works = (0..<4).map { holders.begin("one \($0)") }
        holders.reach(served: 4, waiting: 0)
        try holders.finish(works)
    }

    /// A program waits for the end of one request of another, however many of these wait.
    @Test func anotherProgramGetsTheNextFreePlace() throws {
        let holders = Holders(1)
        var works = [holders.begin("flood")]
        holders.reach(served: 1, waiting: 0)
        works += holders.line((0..<40).map { "flood \($0)" }, served: 1)
        works += holders.line(["other"], served: 1)
        try holders.finish(works)
        #expect(holders.order.prefix(2) == ["flood", "other"] && holders.order.count == 42)
    }

    @Test func requestsOfOneProgramAreServedAsTheyCame() throws {
        let holders = Holders(1)
        var works = [holders.begin("one")]
        holders.reach(served: 1, waiting: 0)
        let names = (0..<12).map { "one \($0)" }
        works += holders.line(names, served: 1)
        try holders.finish(works)
        #expect(holders.order == ["one"] + names)
    }

    @Test func whoWasServedLongestAgoComesNext() throws {
        let holders = Holders(1)
        var works = [holders.begin("one")]
        holders.reach(served: 1, waiting: 0)
        works += holders.line(["one a", "one b", "two a", "two b", "three a"], served: 1)
        try holders.finish(works)
        #expect(holders.order == ["one", "two a", "three a", "one a", "two b", "one b"])
    }

    /// The program with the fewest places is next, also where it was served last.
    @Test func whoHoldsFewestComesNext() throws {
        let holders = Holders(3)
        let gate = Gate()
        gate.shut()
        var works = [holders.begin("many"), holders.begin("many")]
        holders.reach(served: 2, waiting: 0)
        let last = holders.begin("one", until: gate)
        holders.reach(served: 3, waiting: 0)
        works += holders.line(["many again", "one again"], served: 3)
        gate.open()
        try last.value()
        holders.reach(served: 4, waiting: 1)
        #expect(holders.order.last == "one again")
        try holders.finish(works)
    }

    @Test func aProgramLeavesTheLastPlaceToOthers() throws {
        let holders = Holders(3, keepsOne: true)
        var works = (0..<5).map { holders.begin("one \($0)") }
        holders.reach(served: 2, waiting: 3)
        works.append(holders.begin("two"))
        holders.reach(served: 3, waiting: 3)
        #expect(holders.order.last == "two")
        try holders.finish(works)
    }

    // MARK: Who gives up

    @Test func aWaitHasABound() throws {
        let holders = Holders(1, patience: 50)
        let holder = holders.begin("one")
        holders.reach(served: 1, waiting: 0)
        for program in ["one", "two"] {
            #expect(throws: KeychainError(.notAvailable, "")) {
                try holders.places.hold(for: program, from: nil) { () throws(KeychainError) in }
            }
        }
        try holders.finish([holder])
        #expect(holders.order == ["one"])
    }

    @Test func thoseWhoWaitAreBounded() throws {
        let holders = Holders(1, mostWaiting: 4)
        var works = [holders.begin("one")]
        holders.reach(served: 1, waiting: 0)
        works += holders.line((0..<4).map { "one \($0)" }, served: 1)
        #expect(throws: KeychainError(.notAvailable, "")) {
            try holders.places.hold(for: "one", from: nil) { () throws(KeychainError) in }
        }
        works += holders.line(["two"], served: 1)
        try holders.finish(works)
    }

    /// An error in the work gives the place back, with and without a wait.
    @Test func anErrorGivesThePlaceBack() throws {
        let holders = Holders(1)
        @Sendable func fail() {
            #expect(throws: KeychainError(.decode, "")) {
                try holders.places.hold(for: "one", from: nil) { () throws(KeychainError) in
                    throw KeychainError(.decode, "a failure")
                }
            }
        }
        for _ in 0..<3 { fail() }
        let first = holders.begin("one")
        holders.reach(served: 1, waiting: 0)
        let second = Work { fail() }
        try until { holders.places.waiting > 0 }
        try holders.finish([first, second])
    }

    @Test func whatIsNotWantedAnyMoreStopsWaiting() throws {
        let holders = Holders(1)
        let isUnwanted = Flag()
        let first = holders.begin("one")
        holders.reach(served: 1, waiting: 0)
        let unwanted = holders.begin("two", while: { !isUnwanted.isRaised })
        try until { holders.places.waiting > 0 }
        isUnwanted.raise()
        holders.places.reconsider()
        #expect(throws: KeychainError(.notAvailable, "")) { try unwanted.value() }
        try holders.finish([first])
    }

    @Test func whoseConnectionIsGivenAwayStopsWaiting() throws {
        let holders = Holders(1)
        let first = holders.begin("one")
        holders.reach(served: 1, waiting: 0)
        let slot = slot()
        let late = holders.begin("two", from: slot)
        // Its connection rests, so that another one may get its place.
        try until { holders.places.waiting > 0 && slot.idle != nil }
        slot.end()
        #expect(throws: KeychainError(.notAvailable, "")) { try late.value() }
        #expect(slot.idle == nil)
        try holders.finish([first])
    }

    // MARK: What is held

    /// A request that waits, or did so, holds no turn of its process until it has given its place back.
    @Test func aWaitHoldsNoTurn() throws {
        let holders = Holders(1)
        let requests = RequestLimiter()
        let first = holders.begin("one")
        holders.reach(served: 1, waiting: 0)
        let waiting = (0..<(2 * RequestLimiter.maximum)).map { index in
            let slot = slot(requests)
            return Work {
                try requests.take(for: slot) {
                    #expect(slot.holdsTurn)
                    try holders.places.hold(for: "two", from: slot) { () throws(KeychainError) in
                        #expect(slot.holdsTurn)
                    }
                }
                #expect(!slot.holdsTurn)
            }
        }
        try until { holders.places.waiting >= waiting.count }
        // All turns of the process are free.
        let turns = Gate()
        turns.shut()
        let inside = Counter()
        let others = (0..<RequestLimiter.maximum).map { _ in
            let slot = slot(requests)
            return Work {
                try requests.take(for: slot) {
                    inside.next()
                    turns.pass()
                }
            }
        }
        try inside.wait(for: RequestLimiter.maximum)
        // Requests that are done go on at once: they may hold what one of the others waits for.
        holders.gate.open()
        for work in waiting { try work.value() }
        try holders.finish([first])
        #expect(others.allSatisfy { !$0.isDone })
        turns.open()
        for work in others { try work.value() }
    }

    /// A free place is taken within the turn.
    @Test func aFreePlaceLeavesTheTurn() throws {
        let slot = slot()
        let places = ProgramPlaces<String>(1, for: "tests")
        try slot.requests.take(for: slot) {
            try places.hold(for: "one", from: slot) { () throws(KeychainError) in #expect(slot.holdsTurn) }
        }
    }

    /// Never are more served than there are places, and all are in the end.
    @Test func manyThreads() throws {
        let places = ProgramPlaces<Int>(3, for: "tests", patience: 600_000)
        let counts = Counts()
        let works = (0..<24).map { thread in
            Work {
                for round in 0..<200 {
                    try places.hold(for: (thread + round) % 5, from: nil) { () throws(KeychainError) in
                        counts.values.withLock { ($0.inside, $0.most) = ($0.inside + 1, max($0.most, $0.inside + 1)) }
                        counts.values.withLock { ($0.inside, $0.done) = ($0.inside - 1, $0.done + 1) }
                    }
                }
            }
        }
        for work in works { try work.value() }
        counts.values.withLock { #expect($0.done == 24 * 200 && $0.most <= 3) }
        #expect(places.waiting == 0)
    }
}
