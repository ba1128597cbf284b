import ChatelaineIPC
import Foundation
import TestSupport
import Testing

/// Tests of *Change All* by the passcode: it replaces a person's programs in all open keychains of that person.
@Suite struct ChangeAllTests {
    private static let authFailed = -25293
    private static let either = "Password or passcode:"

    private let asking: AskingHousehold
    private let keeper: String
    private var household: Household { asking.household }

    /// Stores an item of the keeper in two open keychains and a locked one, and changes the keeper's file.
    init() throws {
        asking = try AskingHousehold("/usr/bin/pinentry-tty", hasPasscode: false)
        keeper = try asking.household.application("keeper")
        try asking.household.passcode(.set, Household.passcode)
        for keychain in ["a", "b", "locked"] { try add(keychain) }
        try asking.household.lock("locked")
    }

    private func add(_ keychain: String, _ password: String = "right") throws {
        #expect(try household.create(keychain, password) == .done)
        #expect(try call("file-add", keychain, ["secret": "s3cret"]).status == 0)
    }

    private func command(_ call: String, _ keychain: String, _ more: [String: Any] = [:]) -> [String: Any] {
        ["call": call, "path": keychain, "account": "ada"].merging(more) { $1 }
    }

    private func call(_ call: String, _ keychain: String, _ more: [String: Any] = [:]) throws -> ProbeAnswer {
        try ProbeProcess(keeper, in: household).ask(command(call, keychain, more))
    }

    private func isSilent(_ keychain: String) throws -> Bool {
        try call("file-find", keychain, ["ui": "fail"]).status == 0
    }

    private func changeAll(_ secret: String, of keychain: String = "a") throws {
        try household.append("later", to: keeper)
        let answers = try asking.answers(of: keeper, to: [command("file-find", keychain)]) {
            for (letter, letters) in [("f", "[odf]?"), ("c", "[adc]?")] {
                try asking.terminal.expect(letters)
                _ = asking.terminal.settle()
                try asking.terminal.type(letter)
            }
            try asking.type(secret, at: Self.either)
        }
        #expect(answers.map { $0.result as? String } == ["s3cret"])
    }

    @Test func thePasscodeChangesAllThatAreOpen() throws {
        try changeAll(Household.passcode)
        #expect(try isSilent("a") && isSilent("b"))
        #expect(try household.unlock("locked") == .done)
        #expect(try !isSilent("locked"))
    }

    @Test func thePasswordOfOneChangesThatAlone() throws {
        try changeAll("right")
        #expect(try isSilent("a") && !isSilent("b"))
    }

    /// The login keychain's password counts as the passcode once it was seen to open that keychain.
    @Test func thePasswordOfTheLoginKeychainIsThePasscode() throws {
        try add("login.keychain", Household.passcode)
        try household.client.set(.loginKeychain, of: .user, to: [try household.path("login.keychain")])
        // So far the passcode was not seen to open the keychain.
        try changeAll(Household.passcode, of: "login.keychain")
        #expect(try isSilent("login.keychain") && !isSilent("a"))
        try household.lock("login.keychain")
        try household.passcode(.unlock, Household.passcode)
        try until(within: Program.patience) { try household.bits("login.keychain") == 7 }
        let bob = ["account": "bob", "secret": "s3cret", "ui": "fail"]
        #expect(try call("file-add", "b", bob).status == 0)
        try changeAll(Household.passcode, of: "login.keychain")
        #expect(try isSilent("login.keychain") && call("file-find", "b", bob).status == 0)
        // Under another passcode, it is only a keychain's password.
        try household.passcode(.remove, Household.passcode)
        try household.passcode(.set, "another passcode")
        try changeAll(Household.passcode, of: "login.keychain")
        #expect(try isSilent("login.keychain"))
        #expect(try call("file-find", "b", bob).status == Self.authFailed)
    }
}
