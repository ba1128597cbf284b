import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of `SecKeychainAddCallback` against the real daemons, with programs that listen and others that make changes:
/// the rows of D.7.
@Suite struct KeychainCallbackTests {
    private enum Event {
        static let lock = 1
        static let unlock = 2
        static let add = 3
        static let delete = 4
        static let update = 5
        static let password = 6
        static let standard = 9
        static let list = 11
    }

    private static let duplicateCallback = -25297
    private static let invalidCallback = -25298

    private let household: Household
    private let hearer: ProbeProcess
    /// A process of another program.
    private let other: ProbeProcess

    init() throws {
        household = try Household()
        hearer = try household.probe()
        other = try household.probe("other")
        try household.create("a")
        #expect(try other.ask(["call": "SecKeychain", "function": "SetDefault", "path": "a"]).status == 0)
    }

    private func callback(_ function: String, _ more: [String: Any] = [:]) throws -> ProbeAnswer {
        try hearer.ask(["call": "SecKeychainCallback", "function": function].merging(more) { $1 })
    }

    private func add(_ name: String = "first", events: [Int]? = nil) throws -> Int {
        var more: [String: Any] = ["name": name]
        more["mask"] = events?.reduce(0) { $0 | 1 << $1 }
        return try callback("Add", more).status
    }

    /// The events that arrive until there are `count` of them.
    private func heard(_ count: Int) throws -> [[String: Any]] {
        try #require(try callback("Run", ["count": count]).result as? [[String: Any]])
    }

    private func numbers(_ events: [[String: Any]]) -> [Int] { events.compactMap { $0["event"] as? Int } }

    private func keychain(_ function: String, _ path: String?, _ more: [String: Any] = [:]) throws {
        var command: [String: Any] = ["call": "SecKeychain", "function": function]
        command["path"] = path
        #expect(try other.ask(command.merging(more) { $1 }).status == 0, "\(function)")
    }

    private func item(
        _ function: String, _ more: [String: Any] = [:], of probe: ProbeProcess? = nil
    ) throws -> ProbeAnswer {
        let answer = try (probe ?? other).ask(
            ["call": "SecKeychainItem", "function": function].merging(more) { $1 })
        #expect(answer.status == 0, "\(function)")
        return answer
    }

    private func store(_ account: String, of probe: ProbeProcess? = nil) throws -> Int {
        let answer = try item("AddGeneric", ["service": "s", "account": account, "password": "s3cret"], of: probe)
        return try #require(answer.dictionary?["item"] as? Int)
    }

    private func pid(_ probe: ProbeProcess) throws -> Int {
        try #require(try probe.ask(["call": "pid"]).result as? Int)
    }

    @Test func whatAnotherProcessDoesToAKeychain() throws {
        #expect(try add() == 0)
        let pid = try pid(other)
        try keychain("Lock", "a")
        try keychain("Unlock", "a", ["password": "right"])
        // These two calls change nothing.
        try keychain("Unlock", "a", ["password": "right"])
        try keychain("SetDefault", "a")
        let first = try heard(2)
        #expect(numbers(first) == [Event.lock, Event.unlock])
        for event in first {
            #expect(event["pid"] as? Int == pid && event["version"] as? Int == 0 && event["item"] as? Bool == false)
            #expect(event["keychain"] as? String == "\(household.keychains)/a-db" && event["main"] as? Bool == true)
        }
        try keychain("Create", "b", ["password": "right"])
        try keychain("SetDefault", "b")
        let second = try heard(2)
        #expect(numbers(second) == [Event.list, Event.standard])
        #expect(second[0]["keychain"] == nil && second[0]["pid"] as? Int == pid)
        #expect(second[1]["keychain"] as? String == "\(household.keychains)/b-db")
        try keychain("Delete", "b")
        #expect(Set(numbers(try heard(2))) == [Event.list, Event.standard])
        #expect(try household.change("a", "right", "new") == .done)
        #expect(numbers(try heard(1)) == [Event.password])
        #expect(try heard(0).isEmpty)
    }

    @Test func whatAnotherProcessDoesToItems() throws {
        #expect(try add() == 0)
        let pid = try pid(other)
        let number = try store("anna")
        #expect(numbers(try heard(1)) == [Event.add])
        _ = try item("ModifyContent", ["item": number, "password": "new"])
        let update = try heard(1)
        #expect(numbers(update) == [Event.update])
        #expect(update[0]["item"] as? Bool == true && update[0]["pid"] as? Int == pid)
        #expect(update[0]["keychain"] as? String == "\(household.keychains)/a-db")
        _ = try item("Delete", ["item": number])
        #expect(numbers(try heard(1)) == [Event.delete])
    }

    @Test func anotherAccessObjectIsAnUpdate() throws {
        _ = try store("anna")
        #expect(try add() == 0)
        let set = try other.ask(["call": "file-partition", "path": "a", "account": "anna", "secret": "right"])
        #expect(set.status == 0)
        let update = try heard(1)
        #expect(try numbers(update) == [Event.update] && update[0]["pid"] as? Int == pid(other))
        #expect(update[0]["item"] as? Bool == true)
        #expect(try heard(0).isEmpty)
    }

    @Test func eventsOfTheProcessItself() throws {
        #expect(try add() == 0)
        _ = try store("own", of: hearer)
        // The call ends before any event about it is delivered.
        #expect((try callback("Heard").result as? [Any])?.isEmpty == true)
        let own = try heard(1)
        #expect(numbers(own) == [Event.add])
        #expect(try own[0]["pid"] as? Int == pid(hearer))
        try household.lock("a")
        let events = try heard(1)
        #expect(numbers(events) == [Event.lock] && events[0]["pid"] as? Int == Int(getpid()))
    }

    @Test func aKeychainThatLocksByItself() throws {
        try household.set("a", interval: 1)
        #expect(try add(events: [Event.lock]) == 0)
        let events = try heard(1)
        #expect(numbers(events) == [Event.lock] && events[0]["pid"] as? Int == 0)
    }

    @Test func theItemIsReadAndDeletedInsideTheCallback() throws {
        #expect(try add("deleting", events: [Event.add, Event.delete]) == 0)
        _ = try store("anna", of: hearer)
        let events = try heard(2)
        #expect(numbers(events) == [Event.add, Event.delete])
        #expect(events[0]["read"] as? Int == 0 && events[0]["secret"] as? String == "s3cret")
        #expect(events[0]["deleted"] as? Int == 0)
    }

    @Test func functionsAreRegisteredOnce() throws {
        #expect(try callback("Remove").status == Self.invalidCallback)
        #expect(try add() == 0)
        #expect(try add() == Self.duplicateCallback)
        #expect(try add(events: [Event.lock]) == Self.duplicateCallback)
        #expect(try add("second") == 0)
        #expect(try callback("Remove").status == 0)
        #expect(try callback("Remove").status == Self.invalidCallback)
        try keychain("Lock", "a")
        #expect(try heard(1).compactMap { $0["name"] as? String } == ["second"])
        // An event without a listener takes no connection, and can get a listener again.
        #expect(try callback("Remove", ["name": "second"]).status == 0)
        try keychain("Unlock", "a", ["password": "right"])
        #expect(try heard(0).isEmpty)
        #expect(try add() == 0)
        try keychain("Lock", "a")
        #expect(numbers(try heard(1)) == [Event.lock])
    }

    @Test func aCallbackRemovesItself() throws {
        #expect(try add("removing") == 0)
        #expect(try add() == 0)
        try keychain("Lock", "a")
        let events = try heard(2)
        #expect(events.compactMap { $0["name"] as? String } == ["removing", "first"])
        #expect(events[0]["removed"] as? Int == 0)
        try keychain("Unlock", "a", ["password": "right"])
        #expect(try heard(1).compactMap { $0["name"] as? String } == ["first"])
    }

    @Test func eachThreadHearsOnItsOwnLoop() throws {
        #expect(try add() == 0)
        #expect(try callback("AddOnThread", ["name": "second"]).status == 0)
        try keychain("Lock", "a")
        let events = try heard(2)
        for event in events { #expect(event["main"] as? Bool == (event["name"] as? String == "first")) }
        #expect(Set(events.compactMap { $0["name"] as? String }) == ["first", "second"])
        // The callbacks of an ended thread are forgotten, so the function can no longer be removed.
        #expect(try callback("EndThreads").status == 0)
        try until("the function is forgotten") {
            guard try callback("Remove", ["name": "second"]).status == 0 else { return true }
            #expect(try callback("AddOnThread", ["name": "second"]).status == 0)
            #expect(try callback("EndThreads").status == 0)
            return false
        }
        try keychain("Unlock", "a", ["password": "right"])
        #expect(try heard(1).compactMap { $0["name"] as? String } == ["first"])
        #expect(try callback("AddOnThread", ["name": "second"]).status == 0)
        try keychain("Lock", "a")
        #expect(try heard(2).count == 2)
    }

    @Test func aLoopThatDoesNotRunKeepsABoundedNumber() throws {
        #expect(try add() == 0)
        for number in 0..<300 { _ = try store("account \(number)") }
        try keychain("Lock", "a")
        let events = try #require(
            try callback("RunUntil", ["event": Event.lock]).result as? [[String: Any]])
        #expect(events.count <= 2 * 128 && events.contains { $0["event"] as? Int == Event.update })
        let whole = try #require(events.first { $0["event"] as? Int == Event.update })
        #expect(whole["item"] as? Bool == false && whole["keychain"] as? String == "\(household.keychains)/a-db")
    }

    @Test func whoAskedForAdditionsAloneHearsOfTooManyAsWell() throws {
        #expect(try add(events: [Event.add]) == 0)
        for number in 0..<130 { _ = try store("account \(number)") }
        let events = try heard(1)
        #expect(events.contains { $0["event"] as? Int == Event.update && $0["item"] as? Bool == false })
    }

    @Test func aDaemonThatIsKilledIsFoundAgain() throws {
        #expect(try add() == 0)
        household.dismiss()
        // Only a call of a program starts another daemon; a listener does not.
        try keychain("Unlock", "a", ["password": "right"])
        let events = try #require(try callback("RunUntil", ["event": Event.list]).result as? [[String: Any]])
        let gap = events.first { $0["event"] as? Int == Event.list }
        #expect(gap?["keychain"] == nil && gap?["pid"] as? Int == 0)
        try keychain("Lock", "a")
        let later = try #require(try callback("RunUntil", ["event": Event.lock]).result as? [[String: Any]])
        #expect(numbers(later).last == Event.lock)
    }

    @Test func aProcessHasOneConnectionForAllOfThem() throws {
        for name in ["first", "second", "deleting", "removing"] { #expect(try add(name) == 0) }
        // One of the program's 16 processes already listens.
        let more = try (1..<16).map { _ in try household.probe() }
        let command: [String: Any] = ["call": "SecKeychainCallback", "function": "Add"]
        for process in more { #expect(try process.ask(command).status == 0) }
        let last = try household.probe()
        #expect(try last.ask(command).status == -25291)
        #expect(try other.ask(command).status == 0)
    }
}
