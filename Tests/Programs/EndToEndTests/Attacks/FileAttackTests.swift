import Foundation
import Testing

/// Tests of programs that try to get another program's item through their files.
///
/// Programs are copies of the probe or of the attacker, which have different contents. The expected results are in
/// behaviour/callers.md, 4 to 13: they depend on the path at which the kernel says a program runs, and on the digest.
@Suite struct FileAttackTests {
    private static let notFound = -25300
    private static let authFailed = -25293
    private static let missingEntitlement = -34018
    private static let greeting = ["hello", "challenge", "nonce", "welcome"]
    private static var query: [String: Any] { PasswordTests.base.merging(["r_Data": true]) { $1 } }

    private let household: Household
    private let keeper: String

    init() throws {
        household = try Household(uid: geteuid() == 0 ? Privilege.user(3) : geteuid())
        keeper = try household.application("keeper")
        let item = PasswordTests.base.merging(["v_Data": PasswordTests.data("s3cret")]) { $1 }
        #expect(try household.probe().call("add", item).status == 0)
    }

    private func path(_ name: String) -> String { "\(household.home)/\(name)" }

    /// The statuses of the four calls for an existing item and an absent one.
    private func statuses(_ name: String) throws -> [Int] {
        let probe = try ProbeProcess(path(name), in: household)
        return try [PasswordTests.base, ["class": "inet", "acct": "nobody"]].flatMap { base in
            try [
                probe.call("find", base).status, probe.call("update", base, change: ["labl": "x"]).status,
                probe.call("delete", base).status,
                probe.call("add", base.merging(["v_Data": PasswordTests.data("evil")]) { $1 }).status,
            ]
        }
    }

    private func expectUntouched() throws {
        #expect(try household.probe().call("find", Self.query).data == Data("s3cret".utf8))
    }

    /// Changes the content but not the behaviour: the kernel ignores bytes after the program in its file.
    private func changeKeeper() throws {
        let next = path("next")
        try household.copy(keeper, to: next)
        let words = ["sh", "-c", "printf 'another program' >> \"$0\"", next]
        try #require(try Program(words, environment: household.variables).finish() == 0)
        try #require(rename(next, keeper) == 0)
    }

    @Test func aReplacedProgramIsRefusedUntilItIsAccepted() throws {
        guard Privilege.isThere() else { return }
        try changeKeeper()
        #expect(try statuses("keeper") == Array(repeating: Self.authFailed, count: 8))
        let user = try household.probe("user")
        let refused = try household.probe().decide("status").dictionary
        #expect((refused?["caller.reason"] as? String)?.contains("security app accept \(keeper)") == true)
        #expect((refused?["caller.reason"] as? String)?.contains("develop") == true)
        #expect(try user.decide("list").array?.first?["state"] as? String == "changed")
        #expect(try user.decide("accept", keeper).status == 0)
        try expectUntouched()
        #expect(try user.decide("list").array?.first?["state"] as? String == "pinned")
    }

    @Test func aRunningRefusedProgramWorksOnceAccepted() throws {
        guard Privilege.isThere() else { return }
        try changeKeeper()
        let running = try household.probe()
        #expect(try running.call("find", Self.query).status == Self.authFailed)
        #expect(try household.probe("user").decide("accept", keeper).status == 0)
        #expect(try running.call("find", Self.query).data == Data("s3cret".utf8))
    }

    @Test func aProgramInDevelopmentMayChange() throws {
        guard Privilege.isThere() else { return }
        let user = try household.probe("user")
        #expect(try user.decide("develop", keeper).status == 0)
        let item = PasswordTests.base.merging(["v_Data": PasswordTests.data("in development")]) { $1 }
        // In development, the program is another application with another group.
        #expect(try household.probe().call("find", Self.query).status == Self.notFound)
        #expect(try household.probe().call("add", item).status == 0)
        try changeKeeper()
        #expect(try household.probe().call("find", Self.query).data == Data("in development".utf8))
        #expect(try user.decide("list").array?.contains { $0["state"] as? String == "development" } == true)
        // Without the declaration, the program is compared with its former record, and no longer matches it.
        #expect(try user.decide("forget", keeper).status == 0)
        #expect(try household.probe().call("find", Self.query).status == Self.authFailed)
    }

    @Test func aForgottenProgramIsRecordedAnew() throws {
        guard Privilege.isThere() else { return }
        try changeKeeper()
        let user = try household.probe("user")
        #expect(try user.decide("forget", keeper).status == 0)
        #expect(try user.decide("list").array?.isEmpty == true)
        #expect(try user.decide("forget", keeper).status == Self.notFound)
        try expectUntouched()
    }

    @Test func anotherProgramAtTheSamePathIsRefused() throws {
        guard Privilege.isThere() else { return }
        unlink(keeper)
        try household.application("keeper", of: "attacker")
        let heard = try household.attack(
            [keeper, "connect:" + household.socketPath] + Self.greeting + ["find", "update", "delete", "add"])
        let refusals = ["find", "update", "delete", "add"].map { "\($0) \(Self.authFailed)" }
        #expect(heard == ["challenge ok", "welcome 0"] + refusals)
    }

    @Test func theOldProgramIsUnknownOnceItsFileIsReplaced() throws {
        guard Privilege.isThere() else { return }
        let running = try household.probe()
        #expect(try running.call("find", Self.query).status == 0)
        household.dismiss()
        try changeKeeper()
        // The old program makes a new connection, to a daemon that it starts.
        #expect(try running.call("find", Self.query).status == Self.missingEntitlement)
    }

    @Test func aLinkIsTheProgramThatItLeadsTo() throws {
        guard Privilege.isThere() else { return }
        symlink(keeper, path("alias"))
        #expect(try household.probe("alias").call("find", Self.query).data == Data("s3cret".utf8))
        // A link in the keeper's place leads to a program that is not the keeper.
        try #require(rename(keeper, path("moved")) == 0)
        try household.application("evil")
        symlink(path("evil"), keeper)
        #expect(try statuses("keeper").prefix(4) == [Self.notFound, Self.notFound, Self.notFound, 0])
        unlink(keeper)
        try #require(rename(path("moved"), keeper) == 0)
        try expectUntouched()
    }

    @Test func aLinkedFolderIsTheFolder() throws {
        guard Privilege.isThere() else { return }
        mkdir(path("other"), 0o755)
        try household.application("other/keeper")
        try household.give(path("other"))
        symlink(path("other"), path("way"))
        #expect(try household.probe("way/keeper").call("find", Self.query).status == Self.notFound)
    }

    @Test func aHardLinkIsAProgramOfItsOwn() throws {
        guard Privilege.isThere() else { return }
        try #require(link(keeper, path("twin")) == 0)
        #expect(try statuses("twin").prefix(4) == [Self.notFound, Self.notFound, Self.notFound, 0])
        try expectUntouched()
        // Another program's file under the keeper's name has another digest.
        try household.application("evil", of: "attacker")
        unlink(keeper)
        try #require(link(path("evil"), keeper) == 0)
        let heard = try household.attack([keeper, "connect:" + household.socketPath] + Self.greeting + ["find"])
        #expect(heard.last == "find \(Self.authFailed)")
    }

    @Test func aRenamedProgramIsAnother() throws {
        guard Privilege.isThere() else { return }
        try #require(rename(keeper, path("renamed")) == 0)
        #expect(try household.probe("renamed").call("find", Self.query).status == Self.notFound)
    }

    @Test func aRunningProgramThatTakesTheKeepersNameIsRefused() throws {
        guard Privilege.isThere() else { return }
        let evil = try household.application("evil", of: "attacker")
        let program = try Program(
            [evil, "mark", "hold", "connect:" + household.socketPath] + Self.greeting + ["find"], uid: household.uid,
            environment: household.variables)
        #expect(try String(decoding: program.line(), as: UTF8.self) == "mark")
        try #require(rename(evil, keeper) == 0)
        #expect(try program.rest() == ["challenge ok", "welcome 0", "find \(Self.authFailed)"])
    }

    @Test func aBindMountInAUserNamespace() throws {
        guard Privilege.isThere() else { return }
        let evil = try household.application("evil", of: "attacker")
        for victim in ["/usr/bin/tac", keeper] {
            let steps = ["connect:" + household.socketPath] + Self.greeting + ["find", "update", "delete", "add"]
            let heard = try household.attack(
                ["unshare", "-Urm", "sh", "-c", "mount --bind '\(evil)' '\(victim)' && exec '\(victim)' \"$@\"", "sh"]
                    + steps)
            let refusals = ["find", "update", "delete", "add"].map { "\($0) \(Self.missingEntitlement)" }
            #expect(heard == ["challenge ok", "welcome 0"] + refusals, "users may need to be let make namespaces")
        }
        try expectUntouched()
    }

    @Test func throughTheDynamicLoader() throws {
        guard Privilege.isThere() else { return }
        let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
        let loader = try #require(loaders.first { access($0, X_OK) == 0 })
        let loaded = try ProbeProcess(keeper, in: household, prefix: [loader])
        #expect(try loaded.call("find", Self.query).status == Self.notFound)
        let status = try loaded.decide("status").dictionary
        #expect(status?["caller.assurance"] as? String == "shared")
    }
}
