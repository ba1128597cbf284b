import Foundation
import TestSupport
import Testing

/// Tests that a program's guarded items all move to its team's name, or all stay (behaviour/access-groups.md, 27).
@Suite struct GuardedAdoptionTests {
    private static let presence = 1 << 0
    private static let theseFingers = 1 << 3
    private static let devicePasscode = 1 << 4
    private static let either = 1 << 14
    private static let applicationPassword = 1 << 31
    private static let password = "open sesame"
    private static let statuses = (notFound: -25300, interactionNotAllowed: -25308)
    /// The low byte of `errSecAuthFailed`, the exit status if one item stays.
    private static let refused: Int32 = 51
    private static let refusal = "security: errSecAuthFailed: one of the items may not be moved, so none was"

    private typealias Command = [String: Any]

    private static func item(_ account: String, _ more: [String: Any]) -> [String: Any] {
        ["class": "genp", "svce": "adoption", "acct": account].merging(more) { $1 }
    }

    private static func add(_ account: String, _ flags: Int? = nil, _ more: [String: Any] = [:]) -> Command {
        var values: [String: Any] = ["v_Data": PasswordTests.data("s3cret of \(account)")]
        if let flags { values["accc"] = ["accessControl": "ak", "flags": flags] as [String: Any] }
        return ["call": "add", "query": item(account, values.merging(more) { $1 })]
    }

    private static func find(_ account: String, _ more: [String: Any] = [:]) -> Command {
        ["call": "find", "query": item(account, ["r_Data": true]).merging(more) { $1 }]
    }

    private static func secret(of account: String) -> Data { Data("s3cret of \(account)".utf8) }

    /// The calls that give the program's password to its first context, so that no dialog asks for it.
    private static var given: [Command] {
        [["call": "context"], ["call": "credential", "context": 0, "password": password]]
    }
    private static var inContext: [String: Any] { ["u_AuthCtx": ["context": 0]] }
    private static var silent: [String: Any] { ["u_AuthUI": "u_AuthUIF"] }

    private static func adopt(
        _ name: String, by developers: Developers
    ) throws -> (status: Int32, output: [String]) {
        try developers.tool(["app", "adopt", "--stdin", developers.path(name)], reads: Household.passcode)
    }

    /// Makes a team that counts; no program is signed yet.
    private static func prepare(_ developers: Developers) throws {
        try developers.makeTeam()
        try developers.require(["app", "team", "add", "--stdin", developers.anchor()], reads: Household.passcode)
    }

    @Test func thePasscodeSatisfiesWhatItemsAskOfAPerson() throws {
        let asking = try AskingHousehold("/usr/bin/pinentry-tty")
        let developers = try Developers(in: asking.household)
        try Self.prepare(developers)
        let program = try asking.household.application("keeper")
        let stored = try asking.answers(
            of: program,
            to: [
                Self.add("plain"), Self.add("ada", Self.presence), Self.add("bob", Self.devicePasscode),
            ])
        #expect(stored.map(\.status) == [0, 0, 0])
        try developers.sign("keeper")
        let (status, output) = try Self.adopt("keeper", by: developers)
        #expect(status == 0 && output == ["3 items moved to ABCDE12345.com.example.keeper"], "\(output)")
        // An item without constraints needs no person; each other item asks for a person as before.
        let read = try asking.answers(
            of: program,
            to: [
                Self.find("plain"), Self.find("ada", Self.silent), Self.find("bob", Self.silent), Self.find("ada"),
                Self.find("bob"),
            ]
        ) {
            for _ in 0..<2 { try asking.type(Household.passcode) }
        }
        #expect(
            read.map(\.status)
                == [0, Self.statuses.interactionNotAllowed, Self.statuses.interactionNotAllowed, 0, 0])
        #expect(read[3].data == Self.secret(of: "ada") && read[4].data == Self.secret(of: "bob"))
        // The items move back.
        try developers.require(
            ["app", "adopt", "--return", "--stdin", developers.path("keeper")], reads: Household.passcode)
        try #require(unlink(developers.path("keeper.codesig")) == 0)
        let returned = try asking.answers(of: program, to: [Self.find("ada")]) { try asking.type(Household.passcode) }
        #expect(returned.map(\.data) == [Self.secret(of: "ada")])
    }

    /// The program's password proves no person.
    ///
    /// An item that needs it stays, even if it also needs a person, and all others stay with it.
    @Test(arguments: [applicationPassword, presence | applicationPassword])
    func aPasswordOfTheProgramsStays(flags: Int) throws {
        let asking = try AskingHousehold("/usr/bin/pinentry-tty")
        let developers = try Developers(in: asking.household)
        try Self.prepare(developers)
        let program = try asking.household.application("keeper")
        let stored = try asking.answers(
            of: program,
            to: Self.given + [
                Self.add("plain"), Self.add("ada", Self.presence), Self.add("own", flags, Self.inContext),
            ])
        #expect(stored.map(\.status) == [0, 0, 0, 0, 0])
        try developers.sign("keeper")
        let (status, output) = try Self.adopt("keeper", by: developers)
        #expect(status == Self.refused && output == [Self.refusal], "\(status): \(output)")
        #expect(try !developers.tool(["app", "list"]).output.contains { $0.hasPrefix("adopted") })
        let signed = try asking.answers(of: program, to: ["plain", "ada", "own"].map { Self.find($0) })
        #expect(signed.map(\.status) == Array(repeating: Self.statuses.notFound, count: 3))
        // The items are unchanged in their former place.
        try #require(rename(developers.path("keeper.codesig"), developers.path("kept.codesig")) == 0)
        let unsigned = try asking.answers(
            of: program,
            to: Self.given + [Self.find("plain"), Self.find("ada"), Self.find("own", Self.inContext)]
        ) {
            for _ in 0..<(flags == Self.applicationPassword ? 1 : 2) { try asking.type(Household.passcode) }
        }
        #expect(unsigned.suffix(3).map(\.data) == ["plain", "ada", "own"].map { Self.secret(of: $0) })
        // Without that item, the others move.
        let deleted = try asking.answers(of: program, to: [["call": "delete", "query": Self.item("own", [:])]])
        #expect(deleted.map(\.status) == [0])
        try #require(rename(developers.path("kept.codesig"), developers.path("keeper.codesig")) == 0)
        #expect(try Self.adopt("keeper", by: developers).output == ["2 items moved to ABCDE12345.com.example.keeper"])
    }

    /// An item that accepts a finger alone stays; an item that also accepts the passcode moves by the passcode.
    @Test func aFingerAloneStays() throws {
        guard Privilege.isThere() else { return }
        let home = try FingerHousehold(user: Privilege.user(86))
        let developers = try Developers(in: home.bus)
        try Self.prepare(developers)
        let flags = Self.theseFingers | Self.either | Self.devicePasscode
        let stored = try home.run([Self.add("plain"), Self.add("either", flags), Self.add("own", Self.theseFingers)])
        #expect(try stored.answers().map(\.status) == [0, 0, 0])
        try developers.sign("keeper")
        let (status, output) = try Self.adopt("keeper", by: developers)
        #expect(status == Self.refused && output == [Self.refusal], "\(status): \(output)")
        let signed = try home.run(["plain", "either", "own"].map { Self.find($0) })
        #expect(try signed.answers().map(\.status) == Array(repeating: Self.statuses.notFound, count: 3))
        try #require(rename(developers.path("keeper.codesig"), developers.path("kept.codesig")) == 0)
        let unsigned = try home.run([Self.find("own")])
        try home.touch()
        #expect(try home.answer(unsigned).data == Self.secret(of: "own"))
        #expect(try home.answer(home.run([["call": "delete", "query": Self.item("own", [:])]])).status == 0)
        try #require(rename(developers.path("kept.codesig"), developers.path("keeper.codesig")) == 0)
        #expect(try Self.adopt("keeper", by: developers).output == ["2 items moved to ABCDE12345.com.example.keeper"])
        let read = try home.run([Self.find("either")])
        try home.touch()
        #expect(try home.answer(read).data == Self.secret(of: "either"))
    }
}
