import Foundation
import Testing

/// Tests of programs that try to learn of another program's items through notifications.
@Suite struct NotificationAttackTests {
    private static let greeting = ["hello", "challenge", "nonce", "welcome"]

    private let household: Household
    private let keeper: String
    private let evil: String
    private var connect: String { "connect:" + household.socketPath }

    init() throws {
        household = try Household(uid: geteuid() == 0 ? Privilege.user(1) : geteuid())
        try #require(try household.probe("starter").find("nothing").status == -25300)
        keeper = try household.application("keeper", of: "attacker")
        evil = try household.application("evil", of: "attacker")
        #expect(try change(by: keeper, "add") == 0)
    }

    /// Starts a program that subscribes and takes its steps; returns once it has come to a `mark` among them.
    private func listening(_ program: String, _ steps: [String]) throws -> Program {
        let listener = try Program(
            [program, connect] + Self.greeting + ["subscribe"] + steps, uid: household.uid,
            environment: household.variables, isQuiet: true)
        for expected in ["challenge ok", "welcome 0", "subscribe 0", "mark"] {
            #expect(String(decoding: try listener.line(), as: UTF8.self) == expected)
        }
        return listener
    }

    /// Makes a change in another process of a program; returns its status.
    private func change(by program: String, _ step: String) throws -> Int? {
        try household.attack([program, connect] + Self.greeting + [step]).last.flatMap {
            Int($0.split(separator: " ").last ?? "")
        }
    }

    @Test func changesOfOthersAreNotTold() throws {
        guard Privilege.isThere() else { return }
        let listener = try listening(evil, ["mark", "notified"])
        for step in ["update", "delete", "add"] { #expect(try change(by: keeper, step) == 0) }
        // Its first notification is about its own change, with no earlier change counted.
        #expect(try change(by: evil, "add") == 0)
        #expect(try listener.rest() == ["notified default 1"])
    }

    @Test func whoBecomesAnotherProgramIsToldNothing() throws {
        guard Privilege.isThere() else { return }
        for program in [evil, keeper] {
            let listener = try listening(keeper, ["exec:\(program)", "mark", "notified"])
            #expect(try change(by: keeper, "update") == 0)
            #expect(try listener.rest() == ["notified closed"])
        }
    }

    @Test func nobodyKeepsTheConnectionOfAProcessThatEnded() throws {
        guard Privilege.isThere() else { return }
        let heard = try household.attack(
            [keeper, connect] + Self.greeting + ["subscribe", "leave:/usr/bin/true", "ended"])
        #expect(heard.suffix(2) == ["subscribe 0", "ended yes"], "\(heard)")
    }
}
