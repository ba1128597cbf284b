import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of a file keychain's items between two programs and a person.
///
/// Daemon, key custodian, agent and pinentry are the real ones (behaviour/keychain-items.md, behaviour/dialogs.md).
@Suite struct KeychainItemAskingTests {
    private static let canceled = -128
    private static let authFailed = -25293
    private static let notAllowed = -25308
    private static let either = "Password of the keychain:"

    private let asking: AskingHousehold
    private let keeper: String
    private let game: String
    private var household: Household { asking.household }

    /// Stores an item of the keeper in a keychain that belongs to a person.
    init() throws {
        asking = try AskingHousehold("/usr/bin/pinentry-tty", hasPasscode: false)
        keeper = try asking.household.application("keeper")
        game = try asking.household.otherApplication("game")
        #expect(try asking.household.create("a") == .done)
        #expect(try call(keeper, "file-add", ["secret": "s3cret"]).status == 0)
    }

    private func command(_ call: String, _ more: [String: Any] = [:]) -> [String: Any] {
        ["call": call, "path": "a", "account": "ada"].merging(more) { $1 }
    }

    /// Makes one call of a new process without a terminal.
    @discardableResult
    private func call(_ program: String, _ call: String, _ more: [String: Any] = [:]) throws -> ProbeAnswer {
        try ProbeProcess(program, in: household).ask(command(call, more))
    }

    /// Makes calls of a new process in the terminal while a person answers.
    private func ask(
        _ program: String, _ call: String = "file-find", _ more: [String: Any] = [:], count: Int = 1,
        _ meanwhile: () throws -> Void = {}
    ) throws -> [ProbeAnswer] {
        try asking.answers(
            of: program, to: Array(repeating: command(call, more), count: count), meanwhile)
    }

    private func choose(_ letter: String, of letters: String = "[oda]?") throws {
        try asking.terminal.expect(letters)
        _ = asking.terminal.settle()
        try asking.terminal.type(letter)
    }

    private func give(_ secret: String = "right") throws { try asking.type(secret, at: Self.either) }

    private func listed(_ account: String = "ada") throws -> (programs: [String], partitions: [String]) {
        let answer = try call(keeper, "file-access", ["account": account]).dictionary
        return (answer?["listed"] as? [String] ?? [], answer?["partitions"] as? [String] ?? [])
    }

    private func expectSilent(_ program: String, _ more: [String: Any] = [:]) throws {
        #expect(try call(program, "file-find", more.merging(["ui": "fail"]) { $1 }).result as? String == "s3cret")
    }

    private func expectNothing(_ program: String) throws {
        #expect(try call(program, "file-find", ["ui": "fail"]).status == Self.authFailed)
        #expect(try listed().programs == [keeper])
    }

    @Test func whoStoredItReadsItInSilenceAndOthersAreAskedAbout() throws {
        try expectSilent(keeper)
        #expect(try ask(game) { try choose("d") }.map(\.status) == [Self.authFailed])
        // After a denial, further calls of the program have to wait, in whatever process.
        _ = asking.terminal.settle()
        #expect(try ask(game, count: 3).map(\.status) == [-25293, -25293, -25293])
        #expect(asking.terminal.settle(milliseconds: 100).isEmpty)
        try expectNothing(game)
    }

    @Test func onlyThisTimeIsForOneUse() throws {
        for _ in 0..<2 {
            let answers = try ask(game, count: 2) {
                for _ in 0..<2 {
                    try choose("o")
                    try give()
                }
            }
            #expect(answers.map { $0.result as? String } == ["s3cret", "s3cret"])
        }
        try expectNothing(game)
        try asking.awaitNoAgent()
        #expect(asking.terminal.echoes)
    }

    @Test func alwaysAllowIsForGood() throws {
        let answers = try ask(game, count: 2) {
            try choose("a")
            try give()
        }
        #expect(answers.map { $0.result as? String } == ["s3cret", "s3cret"])
        try expectSilent(game)
        try expectSilent(keeper)
        #expect(try listed().programs == [game, keeper])
        #expect(try listed().partitions.count == 2)
        // The permission survives the lock of the keychain and a new daemon.
        try household.lock("a")
        #expect(try household.unlock("a") == .done)
        try expectSilent(game)
        // The permission is for this item and no other.
        #expect(try call(keeper, "file-add", ["account": "bob", "secret": "x"]).status == 0)
        #expect(try call(game, "file-find", ["account": "bob", "ui": "fail"]).status == Self.authFailed)
    }

    /// The user of a preloaded program may have put other code into it.
    ///
    /// So no answer is remembered for it.
    @Test func whatIsPreloadedIsNeverRemembered() throws {
        for name in ["LD_PRELOAD", "LD_AUDIT"] {
            let answers = try asking.answers(
                of: game, to: [command("file-find"), command("file-find")], variables: [name: "/nowhere.so"]
            ) {
                for _ in 0..<2 {
                    try asking.terminal.expect("it is preloaded.")
                    try give()
                }
            }
            #expect(answers.map { $0.result as? String } == ["s3cret", "s3cret"], "\(name)")
            try expectNothing(game)
        }
        // A preloaded program does not take the place of its former file either.
        try household.append("later", to: keeper)
        let changed = try asking.answers(
            of: keeper, to: [command("file-find")], variables: ["LD_PRELOAD": "/nowhere.so"]
        ) { try give() }
        #expect(changed.map { $0.result as? String } == ["s3cret"])
        #expect(try call(keeper, "file-find", ["ui": "fail"]).status == Self.authFailed)
        // The same program without the preload is remembered as usual.
        _ = try ask(game) {
            try choose("a")
            try give()
        }
        try expectSilent(game)
    }

    /// A key causes the same question as a password.
    @Test func aPersonLetsAProgramSign() throws {
        let made = try ProbeProcess(keeper, in: household).ask([
            "call": "makeKey",
            "query": ["type": 73, "bsiz": 256, "perm": true, "u_Keychain": ["keychain": "a"]] as [String: Any],
        ])
        #expect(made.status == 0)
        let find: [String: Any] = [
            "call": "find",
            "query": [
                "class": "keys", "kcls": 1, "m_SearchList": [["keychain": "a"]], "r_Ref": true,
            ] as [String: Any],
        ]
        let sign: [String: Any] = [
            "call": "sign", "algorithm": "algid:sign:ECDSA:message-X962:SHA256",
            "query": ["key": ["reference": 0], "data": PasswordTests.data("m")] as [String: Any],
        ]
        let denied = try asking.answers(of: game, to: [find, sign]) { try choose("d") }
        #expect(denied.map(\.status) == [0, Self.authFailed])
        let other = try household.otherApplication("tool")
        let allowed = try asking.answers(of: other, to: [find, sign, sign]) {
            try choose("a")
            try give()
        }
        #expect(allowed.map(\.status) == [0, 0, 0])
    }

    @Test func threeWrongPasswordsAreEnough() throws {
        let answers = try ask(game) {
            try choose("a")
            for _ in 0..<3 { try give("wrong") }
        }
        #expect(answers.map(\.status) == [Self.authFailed])
        try expectNothing(game)
    }

    @Test func aChangedProgramTakesItsFormerPlace() throws {
        #expect(try call(keeper, "file-add", ["account": "bob", "secret": "s3cret"]).status == 0)
        try household.append("later", to: keeper)
        let answers = try ask(keeper) {
            try choose("f", of: "[odf]?")
            try choose("a", of: "[adc]?")
            try give()
        }
        #expect(answers.map { $0.result as? String } == ["s3cret"])
        try expectSilent(keeper)
        #expect(try call(keeper, "file-find", ["account": "bob", "ui": "fail"]).status == Self.authFailed)
        try household.append("later still", to: keeper)
        // The item of bob still lists the keeper's first file, and neither of the later ones.
        #expect(try call(keeper, "file-find", ["account": "bob", "ui": "fail"]).status == Self.authFailed)
    }

    @Test func changeAllIsForEveryItemOfTheKeychain() throws {
        #expect(try call(keeper, "file-add", ["account": "bob", "secret": "s3cret"]).status == 0)
        try household.append("later", to: keeper)
        let answers = try ask(keeper) {
            try choose("f", of: "[odf]?")
            try choose("c", of: "[adc]?")
            try give()
        }
        #expect(answers.map { $0.result as? String } == ["s3cret"])
        for account in ["ada", "bob"] {
            try expectSilent(keeper, ["account": account])
            #expect(try listed(account).programs == [keeper] && listed(account).partitions.count == 1)
        }
    }

    /// A program knows the password of a keychain that it made.
    ///
    /// *Change All* there must not affect the person's other keychains.
    @Test func changeAllOfOneKeychainGivesNothingOfOthers() throws {
        #expect(try household.create("evil", "known") == .done)
        let more: [String: Any] = ["path": "evil", "secret": "bait", "trusted": keeper]
        #expect(try call(game, "file-add", more).status == 0)
        try #require(rename(game, keeper) == 0)
        let answers = try ask(keeper, "file-find", ["path": "evil"]) {
            try choose("f", of: "[odf]?")
            try choose("c", of: "[adc]?")
            try give("known")
        }
        #expect(answers.map { $0.result as? String } == ["bait"])
        #expect(try call(keeper, "file-find", ["ui": "fail"]).status == Self.authFailed)
    }

    @Test func aProgramIsKnownWhereverItLies() throws {
        let moved = "\(household.home)/moved"
        try #require(rename(keeper, moved) == 0)
        try expectSilent(moved)
    }

    @Test func aLockedKeychainAsksForItsPasswordAndTheCallGoesOn() throws {
        try household.lock("a")
        let answers = try ask(keeper) { try give() }
        #expect(answers.map { $0.result as? String } == ["s3cret"])
        try household.lock("a")
        #expect(try ask(keeper) { try give("") }.map(\.status) == [Self.canceled])
        #expect(try household.bits("a") == 6)
    }

    /// The client lends the file before the person types a password, and for as long as that takes.
    @Test func aLockedKeychainElsewhereAsksAsWell() throws {
        let path = "\(household.home)/build.keychain"
        #expect(try household.create(path) == .done)
        #expect(try call(keeper, "file-add", ["path": path, "secret": "elsewhere"]).status == 0)
        try household.lock(path)
        let answers = try ask(keeper, "file-find", ["path": path]) { try give() }
        #expect(answers.map { $0.result as? String } == ["elsewhere"])
        #expect(try household.bits(path) == 7)
        try household.lock(path)
        #expect(try ask(keeper, "file-find", ["path": path]) { try give("") }.map(\.status) == [Self.canceled])
        // The call has the keychain's password, and the client sends it again.
        #expect(try call(game, "file-partition", ["path": path, "secret": "right"]).result as? Int == 1)
        #expect(try household.bits(path) == 7)
    }

    @Test func whereNobodyCanBeAskedItFailsAtOnce() throws {
        #expect(try call(game, "file-find").status == Self.notAllowed)
        #expect(try call(game, "file-delete", ["asks": true]).status == Self.notAllowed)
        try household.lock("a")
        #expect(try call(keeper, "file-find").status == Self.notAllowed)
        #expect(try call(keeper, "file-add", ["account": "bob", "secret": "x"]).status == Self.notAllowed)
        #expect(try household.bits("a") == 6)
    }

    @Test func thePasswordAloneChangesThePartitionList() throws {
        #expect(try call(game, "file-open", ["ui": "fail"]).status == Self.authFailed)
        #expect(try call(game, "file-partition", ["ui": "fail"]).status == Self.authFailed)
        #expect(try call(game, "file-partition", ["secret": "wrong"]).result as? Int == 2)
        #expect(try listed().programs == [keeper])
        #expect(try call(game, "file-partition", ["secret": "right"]).result as? Int == 1)
        #expect(try listed().partitions == ["apple-tool:"])
        #expect(try call(keeper, "file-find", ["ui": "fail"]).status == Self.authFailed)
        // The password also opens a locked keychain.
        try household.lock("a")
        #expect(try call(game, "file-partition", ["secret": "right"]).result as? Int == 1)
        #expect(try household.bits("a") == 7)
    }

    /// The owner entry makes `SecItemUpdate` ask the person.
    @Test func aPersonLetsAProgramChangeWhoMayRead() throws {
        let update: [String: Any] = [
            "call": "update",
            "query": ["class": "genp", "acct": "ada", "m_SearchList": [["keychain": "a"]]] as [String: Any],
            "change": ["acls": ["access": [game]]],
        ]
        let answers = try asking.answers(of: keeper, to: [update]) { try give() }
        #expect(answers.map(\.status) == [0])
        #expect(try listed().programs == [game])
    }

    // MARK: Meanwhile

    @Test func aKeychainThatIsLockedMeanwhileIsAskedForAgain() throws {
        let answers = try ask(game) {
            try choose("a")
            try asking.terminal.expect(Self.either)
            try household.lock("a")
            _ = asking.terminal.settle()
            try asking.terminal.type("right\r")
            // The keychain asks first and then the item, since another party has opened the keychain since.
            try give()
            try choose("d")
        }
        #expect(answers.map(\.status) == [Self.authFailed])
        try expectNothing(game)
    }

    @Test func aKeychainThatIsDeletedMeanwhileGivesNothing() throws {
        let answers = try ask(game) {
            try choose("o")
            try asking.terminal.expect(Self.either)
            try household.delete("a")
            _ = asking.terminal.settle()
            // The typed password belongs to no keychain.
            try asking.terminal.type("right\r")
        }
        #expect(answers.map { $0.result as? String } != ["s3cret"] && answers.first?.status != 0)
    }

    /// A program swaps another file in during the question, and types that file's password in its own terminal.
    @Test func anotherFileMakesTheAnswerWorthless() throws {
        #expect(try household.create("mine", "known") == .done)
        // The other file has an item of the same name, so that the question does not end for lack of one.
        #expect(try call(game, "file-add", ["path": "mine", "secret": "bait"]).status == 0)
        try household.lock("mine")
        let (file, other) = (try household.path("a"), try household.path("mine"))
        let answers = try ask(game) {
            try choose("o")
            try asking.terminal.expect(Self.either)
            try household.lock("a")
            try #require(rename(file, file + ".aside") == 0 && rename(other, file) == 0)
            _ = asking.terminal.settle()
            try asking.terminal.type("known\r")
            // The password was right for the other file. The restored keychain is locked until its owner unlocks it.
            try asking.terminal.expect(Self.either)
            try #require(rename(file, other) == 0 && rename(file + ".aside", file) == 0)
            // That ends the dialog for its password.
            #expect(try household.unlock("a") == .done)
            try choose("d")
        }
        #expect(answers.map(\.status) == [Self.authFailed])
        try expectNothing(game)
    }

    @Test func anItemThatIsChangedMeanwhileIsAnotherQuestion() throws {
        let answers = try ask(game) {
            try choose("o")
            try asking.terminal.expect(Self.either)
            #expect(try call(keeper, "file-update", ["secret": "other", "ui": "fail"]).status == 0)
            _ = asking.terminal.settle()
            try asking.terminal.type("right\r")
            try choose("d")
        }
        #expect(answers.map(\.status) == [Self.authFailed])
        #expect(try listed().programs == [keeper])
    }

    @Test func whoEndsMeanwhileIsGivenNothing() throws {
        let reader = try AskingHousehold.Reader(
            [
                "setsid", "--ctty", "--wait", "sh", "-c", "printf '%s\\n' \"$1\" | exec \"$0\"", game,
                String(decoding: try JSONSerialization.data(withJSONObject: command("file-find")), as: UTF8.self),
            ], environment: household.variables.map { "\($0)=\($1)" }, terminal: asking.terminal.device)
        try choose("a")
        try asking.terminal.expect(Self.either)
        let holders = ProcessTable.children(of: reader.process.pid).flatMap { [$0] + ProcessTable.children(of: $0) }
        for pid in holders + [reader.process.pid] { kill(pid, SIGKILL) }
        try asking.awaitNoAgent()
        try expectNothing(game)
        #expect(asking.terminal.echoes)
    }
}
