import Testing

@testable import SecurityServer

/// Places for connections are shared out among processes, programs and users.
struct ConnectionLimiterTests {
    private let connections = ConnectionLimiter()
    private static let whole = SessionLimits.connectionsPerUser

    private func admit(pid: Int32, program: UInt64? = nil, uid: UInt32 = 1) -> ConnectionSlot? {
        guard case .slot(let slot) = connections.admit(socket: -1, pid: pid, uid: uid) else { return nil }
        slot.program = program.map { Program(device: 1, inode: $0) }
        return slot
    }

    /// Takes this many places with processes of one program.
    private func fill(_ count: Int, program: UInt64?, from pid: Int32 = 1000) -> [ConnectionSlot] {
        (0..<count).compactMap { admit(pid: pid + Int32($0 / SessionLimits.connectionsPerProcess), program: program) }
    }

    @Test func aProcessHasItsNumber() throws {
        let slots = fill(SessionLimits.connectionsPerProcess, program: 1)
        #expect(slots.count == 16)
        #expect(admit(pid: 1000) == nil)
        #expect(admit(pid: 2000) != nil)
        connections.dismiss(slots[0])
        #expect(admit(pid: 1000) != nil)
    }

    @Test func whoWaitsForAPersonDoesNotCount() throws {
        let slots = fill(SessionLimits.connectionsPerProcess, program: 1)
        slots[0].isAsking = true
        let further = try #require(admit(pid: 1000))
        #expect(admit(pid: 1000) == nil)
        slots[0].isAsking = false
        connections.dismiss(further)
        #expect(admit(pid: 1000) == nil)
        // The places of these connections are not given to others either.
        for slot in slots { slot.isAsking = true }
        let many = fill(Self.whole, program: 8, from: 2000)
        #expect(many.count == Self.whole && !many.contains { $0.isGivenAway })
        let new = try #require(admit(pid: 1, program: 9))
        #expect(!new.isGivenAway && !slots.contains { $0.isGivenAway })
        #expect(many.count { $0.isGivenAway } == 1)
    }

    @Test func whatHasNotEndedYetCountsForItsProcess() throws {
        let slots = fill(SessionLimits.connectionsPerProcess, program: 1)
        connections.vacate(slots[0])
        #expect(connections.total == 15)
        #expect(admit(pid: 1000) == nil, "its thread still closes what came")
        connections.dismiss(slots[0])
        #expect(admit(pid: 1000) != nil)
    }

    @Test func theLargestProgramGivesAPlace() throws {
        let honest = try #require(admit(pid: 1, program: 7))
        let many = fill(Self.whole - 1, program: 8)
        #expect(many.count == Self.whole - 1)
        let new = try #require(admit(pid: 2, program: 9))
        #expect(!honest.isGivenAway && !new.isGivenAway)
        #expect(many.count { $0.isGivenAway } == 1)
        #expect(connections.total == Self.whole)
    }

    @Test func manyProcessesOfOneProgramCountTogether() throws {
        // One process has 16 connections, and a program has many processes with one each.
        let honest = fill(16, program: 7, from: 1)
        let forks = (0..<Int32(Self.whole - 16)).compactMap { admit(pid: 1000 + $0, program: 8) }
        #expect(forks.count == Self.whole - 16)
        for pid in 2000..<Int32(2020) { #expect(admit(pid: pid, program: 9) != nil) }
        #expect(!honest.contains { $0.isGivenAway })
        #expect(forks.count { $0.isGivenAway } == 20)
    }

    @Test func whoHasSaidNothingCountsAsOneProgram() throws {
        let greeted = fill(100, program: 7, from: 1)
        let silent = (0..<Int32(Self.whole - 100)).compactMap { admit(pid: 1000 + $0) }
        #expect(silent.count == Self.whole - 100)
        for pid in 2000..<Int32(2020) { #expect(admit(pid: pid) != nil) }
        #expect(!greeted.contains { $0.isGivenAway })
        #expect(silent.count { $0.isGivenAway } == 20)
    }

    @Test func whoeverIsWorkedForKeepsItsPlace() throws {
        let slots = fill(Self.whole, program: 8)
        for slot in slots { slot.work() }
        #expect(admit(pid: 1, program: 9) == nil)
        slots[100].rest()
        #expect(admit(pid: 1, program: 9) != nil)
        #expect(slots.filter { $0.isGivenAway }.count == 1 && slots[100].isGivenAway)
    }

    @Test func threadsAreLimitedToo() throws {
        let slots = fill(Self.whole, program: 8)
        for pid in 0..<Int32(SessionLimits.endingPerUser) { #expect(admit(pid: 5000 + pid, program: 9) != nil) }
        #expect(admit(pid: 1, program: 10) == nil, "those whose place was given away are not through")
        let ended = try #require(slots.first { $0.isGivenAway })
        connections.dismiss(ended)
        #expect(admit(pid: 1, program: 10) != nil)
        #expect(connections.total == Self.whole)
    }

    @Test func usersDoNotShare() {
        #expect(fill(Self.whole, program: 8).count == Self.whole)
        #expect(admit(pid: 1, uid: 2) != nil)
    }

    @Test func everythingIsForgottenInTheEnd() {
        let slots = fill(Self.whole, program: 8) + fill(10, program: 9, from: 9000)
        for slot in slots { connections.vacate(slot) }
        for slot in slots { connections.dismiss(slot) }
        #expect(connections.total == 0)
        #expect(fill(Self.whole, program: 8).count == Self.whole)
    }
}
