import ChatelaineIPC
import ChatelaineModel
import Glibc
import Testing

@testable import SecurityServer

/// A principal is a program of one user: the user counts everywhere beside the application.
@Suite struct PrincipalTests {
    private static let program: AccessGroup = "pinned:/usr/local/bin/mail"

    @Test func groupsAreThoseOfOneUsersKeychain() {
        let mine = Principal(user: 1000, application: Self.program)
        let theirs = Principal(user: 1001, application: Self.program)
        #expect(mine != theirs)
        #expect(Caller.sample(user: 1000).groups == [Self.program])
        #expect(Caller.sample(user: 1001).groups == [])
        // No user has the groups of another one, not even root.
        #expect(Caller.sample(user: 0).groups == [])
    }

    /// A caller without a group gets an error, and not an empty result.
    @Test func withoutAGroupNothingIsLookedFor() throws {
        let caller = WaitingHome.caller(groups: [])
        let error = KeychainError(.missingEntitlement, "")
        #expect(throws: error) { try AccessPolicy.groups(of: caller, named: nil) }
        #expect(throws: error) { try AccessPolicy.groups(of: caller, named: Self.program) }
        #expect(throws: error) { try AccessPolicy.defaultGroup(of: caller, named: nil) }
        let daemon = try WaitingHome()
        daemon.caller.withLock { $0 = .success(caller) }
        let connection = try TestConnection()
        #expect(try daemon.answer(WaitingHome.find("any"), on: connection).status == .missingEntitlement)
    }

    @Test func aDaemonServesItsOwnUserOnly() throws {
        #expect(try Daemon.servedUser(of: .user) == geteuid())
        #expect(throws: KeychainError(.unimplemented, "")) { try Daemon.servedUser(of: .system) }
    }

    /// Processes of two users that run one file share no part of a budget.
    @Test func whatIsHeldCountsForTheUserToo() throws {
        func slot(_ pid: Int32, _ user: UInt32) -> ConnectionSlot {
            let slot = ConnectionSlot(socket: -1, pid: pid, uid: user, requests: RequestLimiter())
            slot.program = Program(device: 1, inode: 7)
            return slot
        }
        let budget = Budget(bytes: 30, largest: 10)
        let held = try budget.take(10, for: slot(1, 1000), milliseconds: 0)
        // A third process of the same program would have to leave room for the largest share, and finds none.
        let more = try budget.take(10, for: slot(2, 1000), milliseconds: 0)
        #expect(throws: KeychainError.self) { try budget.take(10, for: slot(3, 1000), milliseconds: 0) }
        // The same file of another user holds nothing yet.
        let theirs = try budget.take(10, for: slot(4, 1001), milliseconds: 0)
        for share in [held, more, theirs] { budget.give(back: share) }
    }

    @Test func refusalsAreKnownByUser() {
        let mine = BudgetOwner(user: 1000, program: Program(device: 1, inode: 7))
        #expect(mine != BudgetOwner(user: 1001, program: Program(device: 1, inode: 7)))
        #expect(BudgetOwner(user: 1000, program: nil) != BudgetOwner(user: 1001, program: nil))
    }
}
