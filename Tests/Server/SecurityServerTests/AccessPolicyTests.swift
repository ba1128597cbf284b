import CallerIdentity
import ChatelaineModel
import Testing

@testable import SecurityServer

/// A caller may name only its own groups, and gets a default group if it names none.
@Suite struct AccessPolicyTests {
    private static let own: AccessGroup = "pinned:/usr/local/bin/mail"
    private static let foreign: AccessGroup = "pinned:/usr/local/bin/other"

    @Test func withoutAGroupItsOwnIsMeant() throws {
        let caller = Caller.sample()
        #expect(try AccessPolicy.groups(of: caller, named: nil) == [Self.own])
        #expect(try AccessPolicy.defaultGroup(of: caller, named: nil) == Self.own)
    }

    @Test func itsOwnMayBeNamed() throws {
        let caller = Caller.sample()
        #expect(try AccessPolicy.groups(of: caller, named: Self.own) == [Self.own])
        #expect(try AccessPolicy.defaultGroup(of: caller, named: Self.own) == Self.own)
    }

    @Test func anotherIsRefusedAndNotSearched() {
        let caller = Caller.sample()
        #expect(throws: KeychainError(.missingEntitlement, "")) {
            try AccessPolicy.groups(of: caller, named: Self.foreign)
        }
        #expect(throws: KeychainError(.missingEntitlement, "")) {
            try AccessPolicy.defaultGroup(of: caller, named: Self.foreign)
        }
    }

    /// Groups that differ by a byte, by case or by a mark that looks the same are different groups.
    @Test(arguments: ["pinned:/usr/local/bin/Mail", "pinned:/usr/local/bin/mail ", "path:/usr/local/bin/mail", ""])
    func whatLooksLikeItsOwnIsAnother(_ name: String) {
        #expect(throws: KeychainError(.missingEntitlement, "")) {
            try AccessPolicy.groups(of: .sample(), named: AccessGroup(name))
        }
    }

    @Test func inAnotherUsersKeychainItHasNone() {
        let caller = Caller.sample(user: 1001, inKeychainOf: 1000)
        #expect(caller.groups.isEmpty)
        #expect(throws: KeychainError(.missingEntitlement, "")) {
            try AccessPolicy.defaultGroup(of: caller, named: nil)
        }
        #expect(throws: KeychainError(.missingEntitlement, "")) {
            try AccessPolicy.groups(of: caller, named: Self.own)
        }
    }

    @Test func aChangedProgramIsAdmittedNowhere() throws {
        let error = #expect(throws: KeychainError.self) { try Caller.sample(state: .changed).admitted() }
        #expect(error?.cause == .changedProgram)
        for state in [ApplicationState.pinned, .unknown, .development] {
            _ = try Caller.sample(state: state).admitted()
        }
    }
}
