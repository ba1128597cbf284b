import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of whole file keychains whose passwords a person types for a program.
///
/// Daemon, key custodian, agent and pinentry are the real ones (behaviour/file-keychains.md).
@Suite struct KeychainAskingTests {
    private static let userCanceled = -128
    private static let authFailed = -25293
    private static let duplicateKeychain = -25296
    private static let noDefaultKeychain = -25307
    private static let interactionNotAllowed = -25308
    private static let password = "Password of the keychain:"

    private let asking: AskingHousehold
    private let program: String
    private var household: Household { asking.household }

    init() throws { try self.init("/usr/bin/pinentry-tty") }

    private init(_ pinentry: String) throws {
        asking = try AskingHousehold(pinentry, hasPasscode: false)
        program = try asking.household.application("asker")
    }

    private func command(_ function: String, _ path: String?, _ more: [String: Any] = [:]) -> [String: Any] {
        var command: [String: Any] = ["call": "SecKeychain", "function": function]
        command["path"] = path
        return command.merging(more) { $1 }
    }

    /// Makes calls of one new process in the terminal while a person answers.
    private func ask(_ commands: [String: Any]..., meanwhile: () throws -> Void = {}) throws -> [ProbeAnswer] {
        try asking.answers(of: program, to: commands, meanwhile)
    }

    private func typeNew(_ password: String) throws {
        for prompt in ["New password:", "The same again:"] { try asking.type(password, at: prompt) }
    }

    private var prompted: [String: Any] { ["prompt": true] }

    @Test func aNewKeychainGetsItsPasswordFromAPerson() throws {
        let answers = try ask(
            command("Create", "a", prompted), command("Create", "a", prompted), command("GetStatus", "a"),
            command("CopySearchList", nil)
        ) {
            try asking.terminal.expect("wants to make a keychain.")
            try asking.terminal.expect("Keychain: “a”")
            try typeNew("horse")
        }
        #expect(answers.map(\.status) == [0, Self.duplicateKeychain, 0, 0])
        #expect(answers.first?.result as? Bool == true && answers[2].result as? Int == 7)
        #expect((answers[3].result as? [String])?.first == "a-db")
        try household.lock("a")
        #expect(try household.unlock("a", "horse") == .done)
        try asking.awaitNoAgent()
        #expect(asking.terminal.echoes)
    }

    @Test func aNewKeychainThatIsCancelledIsNone() throws {
        let other = try Self("/usr/bin/pinentry-curses")
        // Two tabs lead from the field over “OK” to “Cancel”.
        let answers = try other.ask(command("Create", "a", prompted)) {
            try other.asking.type("\t\t", at: "New password:")
        }
        #expect(answers.map(\.status) == [Self.userCanceled])
        #expect(other.household.names(in: "data/keychains") == [])
        try other.asking.awaitNoAgent()
        #expect(other.asking.terminal.echoes)
    }

    /// The program creates its file before the person types a password, and removes it if the creation fails.
    @Test func aNewKeychainElsewhereGetsItsPasswordFromAPerson() throws {
        let folder = "\(household.home)/build"
        try #require(mkdir(folder, 0o755) == 0)
        let path = "\(folder)/ci.keychain-db"
        let answers = try ask(
            command("Create", path, prompted), command("Lock", path), command("Unlock", path, prompted),
            command("Create", path, prompted)
        ) {
            try typeNew("horse")
            try asking.type("horse", at: Self.password)
        }
        #expect(answers.map(\.status) == [0, 0, 0, Self.duplicateKeychain])
        try household.lock(path)
        #expect(try household.unlock(path, "horse") == .done)
        let forbidden = try ask(
            command("SetUserInteractionAllowed", nil, ["state": false]),
            command("Create", "\(folder)/other", prompted))
        #expect(forbidden.map(\.status) == [0, Self.interactionNotAllowed])
        #expect(household.names(in: "build") == ["ci.keychain-db"])
    }

    /// No dialog appears if the process forbids it or has no terminal or display.
    @Test func whereNobodyCanBeAskedThereIsNone() throws {
        let forbidden = try ask(
            command("SetUserInteractionAllowed", nil, ["state": false]), command("Create", "b", prompted))
        #expect(forbidden.map(\.status) == [0, Self.interactionNotAllowed])
        let alone = try ProbeProcess(program, in: household).ask(command("Create", "b", prompted))
        #expect(alone.status == Self.interactionNotAllowed)
        #expect(asking.terminal.settle(milliseconds: 100).isEmpty)
        #expect(household.names(in: "data/keychains") == [])
    }

    @Test func aLockedKeychainIsUnlockedByAPerson() throws {
        #expect(try household.create("a") == .done)
        try household.lock("a")
        let answers = try ask(
            command("SetDefault", "a"), command("Unlock", nil, prompted), command("Unlock", "a", prompted),
            command("GetStatus", nil)
        ) {
            try asking.terminal.expect("Keychain: “a”")
            try asking.type("wrong", at: Self.password)
            try asking.terminal.expect("Wrong password.")
            try asking.type("right", at: Self.password)
        }
        #expect(answers.map(\.status) == [0, 0, 0, 0], "the second one asks nobody")
        #expect(answers.last?.result as? Int == 7)
        #expect(try household.bits("a") == 7, "it stays unlocked")
    }

    @Test func whoDoesNotUnlockItIsAskedNoMore() throws {
        #expect(try household.create("a") == .done)
        try household.lock("a")
        let answers = try ask(command("Unlock", "a", prompted), command("Unlock", "a", prompted)) {
            try asking.type("", at: Self.password)
        }
        #expect(answers.map(\.status) == [Self.userCanceled, Self.authFailed], "the pause has begun")
        let forbidden = try ask(
            command("SetUserInteractionAllowed", nil, ["state": false]), command("Unlock", "a", prompted),
            command("CopySettings", "a"), command("SetSettings", "a", ["settings": [1, 0, 1, 60]]))
        #expect(forbidden.map(\.status) == [0] + Array(repeating: Self.interactionNotAllowed, count: 3))
        #expect(try household.bits("a") == 6)
    }

    /// The prompt appears once, and then the call goes on (reference, D.5).
    @Test(arguments: ["CopySettings", "SetSettings"])
    func settingsOfALockedKeychain(_ function: String) throws {
        #expect(try household.create("a") == .done)
        try household.lock("a")
        let answers = try ask(
            command(function, "a", ["settings": [1, 0, 1, 60]]), command("CopySettings", "a")
        ) { try asking.type("right", at: Self.password) }
        #expect(answers.map(\.status) == [0, 0])
        #expect(answers.last?.result as? [Int] == (function == "SetSettings" ? [1, 0, 1, 60] : [1, 1, 1, 300]))
    }

    private var item: [String: Any] { ["call": "file-add", "account": "ada", "secret": "s3cret"] }

    /// An item is added without a default keychain: the person creates the login keychain, and the call goes on.
    @Test func theFirstItemMakesTheLoginKeychain() throws {
        let answers = try ask(item, item.merging(["account": "bob"]) { $1 }) {
            try asking.terminal.expect("Keychain: “login”")
            try typeNew("horse")
        }
        #expect(answers.map(\.status) == [0, 0])
        let path = try household.path("login.keychain")
        for preference in [KeychainPreference.defaultKeychain, .loginKeychain, .searchList] {
            #expect(try household.client.read(preference, of: .user) == [path])
        }
        try household.lock("login.keychain")
        #expect(try household.unlock("login.keychain", "horse") == .done)
        try asking.awaitNoAgent()
        #expect(asking.terminal.echoes)
    }

    /// The older call without a keychain means the default one as well.
    @Test func anOldCallMakesTheLoginKeychainToo() throws {
        let forbidding: [String: Any] = [
            "call": "SecKeychain", "function": "SetUserInteractionAllowed", "state": false,
        ]
        let adding: [String: Any] = [
            "call": "SecKeychainItem", "function": "AddGeneric", "service": "x", "password": "x",
        ]
        #expect(try ask(forbidding, adding).map(\.status) == [0, Self.interactionNotAllowed])
        let answers = try ask(adding) {
            try asking.terminal.expect("Keychain: “login”")
            try typeNew("horse")
        }
        #expect(answers.map(\.status) == [0])
        #expect(try household.unlock("login.keychain", "horse") == .done)
    }

    /// With a passcode set, the new login keychain has it as its password.
    @Test func itsPasswordIsThePasscodeWhereThereIsOne() throws {
        try household.passcode(.set, Household.passcode)
        let answers = try ask(item) {
            try asking.terminal.expect("The passcode becomes its password.")
            try asking.type("wrong")
            try asking.terminal.expect("Wrong passcode.")
            try asking.type(Household.passcode)
        }
        #expect(answers.map(\.status) == [0])
        try household.lock("login.keychain")
        #expect(try household.unlock("login.keychain", Household.passcode) == .done)
    }

    @Test func withoutAnAnswerThereIsNoLoginKeychain() throws {
        let alone = try ProbeProcess(program, in: household).ask(item)
        #expect(alone.status == Self.noDefaultKeychain)
        let forbidden = try ask(item.merging(["ui": "fail"]) { $1 })
        #expect(forbidden.map(\.status) == [Self.interactionNotAllowed])
        try household.passcode(.set, Household.passcode)
        #expect(try ask(item) { try asking.type("") }.map(\.status) == [Self.userCanceled])
        #expect(household.names(in: "data/keychains") == [])
        // An existing login keychain that is not the default does not answer that question.
        #expect(try household.create("login.keychain") == .done)
        #expect(try ask(item).map(\.status) == [Self.noDefaultKeychain])
    }

    /// Another program creates the keychain while the person types, and the dialog closes.
    @Test func theNameIsTakenMeanwhile() throws {
        let answers = try ask(command("Create", "a", prompted)) {
            try asking.terminal.expect("New password:")
            #expect(try household.create("a") == .done)
        }
        #expect(answers.map(\.status) == [Self.duplicateKeychain])
        try asking.awaitNoAgent()
        #expect(asking.terminal.echoes)
        try household.lock("a")
        #expect(try household.unlock("a", "right") == .done, "it is still the other one's")
    }

    @Test func theCommandAsksInADialogWhereItIsTold() throws {
        func run(_ words: [String], _ meanwhile: () throws -> Void) throws -> (said: String, status: Int32) {
            let reader = try AskingHousehold.Reader(
                ["setsid", "--ctty", "--wait", asking.tool] + words,
                environment: household.variables.map { "\($0)=\($1)" }, terminal: asking.terminal.device)
            try meanwhile()
            return reader.finish()
        }
        #expect(try run(["create-keychain", "-P", "a"]) { try typeNew("horse") }.status == 0)
        try household.lock("a")
        #expect(try run(["unlock-keychain", "-u", "a"]) { try asking.type("horse", at: Self.password) }.status == 0)
        #expect(try household.bits("a") == 7)
        try household.lock("a")
        // Without -p and -u, the command itself asks.
        let typed = try run(["unlock-keychain", "a"]) { try asking.type("horse", at: "password to unlock a: ") }
        #expect(typed.status == 0)
        try household.lock("a")
        #expect(try run(["unlock-keychain", "-u", "a"]) { try asking.type("", at: Self.password) }.status == 128)
    }
}
