import ChatelaineIPC
import Foundation
import TestSupport
import Testing

/// Tests of programs that listen for changes of items.
@Suite struct ChangeListenerTests {
    private static let refused = -25291

    private let household: Household
    private let listener: ProbeProcess
    /// Another process of the listener's program.
    private let sibling: ProbeProcess
    private let stranger: ProbeProcess

    init() throws {
        household = try Household()
        listener = try household.probe("keeper")
        sibling = try household.probe("keeper")
        stranger = try household.probe("stranger")
        try #require(try listener.ask(["call": "listen"]).status == 0)
    }

    /// The listener's next notification, such as "default 3" or "everything 4".
    private func heard(_ listener: ProbeProcess) throws -> String {
        let answer = try listener.ask(["call": "heard"])
        try #require(answer.status == 0, "\(answer)")
        let keychain = try #require(answer.dictionary?["keychain"] as? String)
        return "\(keychain.isEmpty ? "everything" : keychain) \(try #require(answer.dictionary?["number"] as? Int))"
    }

    @Test func changesOfTheOwnGroupAreTold() throws {
        #expect(try sibling.add("a", "first") == 0)
        #expect(try heard(listener) == "default 1")
        #expect(try sibling.update("a", "second") == 0)
        #expect(try heard(listener) == "default 2")
        #expect(try sibling.delete("a") == 0)
        #expect(try heard(listener) == "default 3")
        // A change by the process itself counts; a failed change and a search do not.
        #expect(try listener.add("b", "own") == 0)
        #expect(try listener.add("b", "twice") == -25299)
        #expect(try listener.find("b").status == 0)
        #expect(try heard(listener) == "default 4")
        #expect(try listener.ask(["call": "heard", "milliseconds": 0]).result == nil)
    }

    @Test func changesOfOtherGroupsAreNot() throws {
        #expect(try stranger.add("a", "first") == 0)
        #expect(try stranger.update("a", "second") == 0)
        #expect(try sibling.add("a", "mine") == 0)
        #expect(try heard(listener) == "default 1")
    }

    @Test func whoDoesNotReadHoldsUpNobody() throws {
        let rounds = 200
        let answer = try sibling.ask(["call": "threads", "count": 2, "rounds": rounds])
        #expect(answer.status == 0)
        // Each round has three changes. The last notification has counted all of them, however many others were merged.
        var last = ""
        while last != "default \(2 * 3 * rounds)" { last = try heard(listener) }
    }

    @Test func aRestoredSnapshotIsToldToEverybody() throws {
        #expect(try stranger.ask(["call": "listen"]).status == 0)
        let snapshot = try #require(try household.client.snapshots(.take()).first)
        _ = try household.client.snapshots(.restore(name: snapshot.name))
        #expect(try heard(listener).hasPrefix("everything "))
        #expect(try heard(stranger).hasPrefix("everything "))
    }

    @Test func aProcessHasOneConnectionForThem() throws {
        #expect(try listener.ask(["call": "listen"]).status == Self.refused)
        #expect(try sibling.ask(["call": "listen"]).status == 0)
        // The end of a connection makes room for another.
        #expect(try listener.ask(["call": "unlisten"]).status == 0)
        #expect(try listener.ask(["call": "listen"]).status == 0)
        #expect(try sibling.add("a", "x") == 0)
        #expect(try heard(listener) == "default 1" && heard(sibling) == "default 1")
    }

    @Test func itTakesNoneOfTheOrdinaryConnections() throws {
        // The process makes as many calls at once as it may have connections.
        #expect(try listener.ask(["call": "threads", "count": 16, "rounds": 3]).status == 0)
        #expect(try household.client.status()["daemon.connections"] != nil)
        #expect(try heard(listener).hasPrefix("default "))
    }

    @Test func aProgramLeavesPlacesToOthers() throws {
        // One of the program's 16 processes already listens.
        let more = try (1..<16).map { _ in try household.probe("keeper") }
        for process in more { #expect(try process.ask(["call": "listen"]).status == 0) }
        #expect(try sibling.ask(["call": "listen"]).status == Self.refused)
        #expect(try stranger.ask(["call": "listen"]).status == 0)
        #expect(more[0].finish() == 0)
        try until("a place is free") { try sibling.ask(["call": "listen"]).status != Self.refused }
    }

    @Test func aDaemonThatIsKilledIsFoundAgain() throws {
        #expect(try sibling.add("a", "x") == 0)
        #expect(try heard(listener) == "default 1")
        household.dismiss()
        #expect(try heard(listener) == "everything 0")
        #expect(try sibling.update("a", "y") == 0)
        #expect(try heard(listener) == "default 1")
    }
}
