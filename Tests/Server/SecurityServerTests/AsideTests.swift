import ChatelaineIPC
import ChatelaineModel
import Glibc
import TestSupport
import Testing

@testable import SecurityServer

/// Requests that wait for other processes share a limited number of places.
@Suite struct AsideTests {
    private let home: WaitingHome
    private let request = ReadCertificates([[1]])

    init() throws { home = try WaitingHome() }

    private var asides: Budget { home.services.asides }

    /// Takes all places that one program can have.
    private func all(for hog: TestConnection) throws -> [Budget.Share] {
        try (0..<(SessionLimits.asides - SessionLimits.asidesLeft)).map { _ in
            try asides.take(1, for: hog.slot, milliseconds: 1000)
        }
    }

    /// However many requests a program has under way, another program's request is answered.
    ///
    /// Waiting requests may lose their connections to others.
    @Test func aProgramLeavesPlacesToOthers() throws {
        let hog = try TestConnection()
        var shares = try all(for: hog)
        let connection = try TestConnection()
        let work = home.begin(request, on: connection)
        try until { asides.waiting == 1 }
        #expect(connection.slot.idle != nil)
        let other = try TestConnection(pid: 2, program: 2)
        #expect(try home.answer(request, on: other).status == .notAvailable)
        #expect(asides.waiting == 1)
        asides.give(back: shares.removeLast())
        #expect(try connection.reply().status == .notAvailable)
        try work.value()
    }

    /// A request that needs no other process waits for no place, so a lock comes before all earlier requests.
    @Test func aLockWaitsForNoPlace() throws {
        let hog = try TestConnection()
        let shares = try all(for: hog)
        defer { for share in shares { asides.give(back: share) } }
        #expect(try home.answer(KeychainCommand.lockAll, on: try TestConnection()).status == .success)
        #expect(asides.waiting == 0)
    }

    /// Others determine the length of the wait, and the caller may run another program by then.
    @Test func theCallerIsLookedAtAfterTheWait() throws {
        let hog = try TestConnection()
        let shares = try all(for: hog)
        let connection = try TestConnection()
        let work = home.begin(request, on: connection)
        try until { asides.waiting == 1 }
        home.change.withLock { $0 = .executableChanged }
        for share in shares { asides.give(back: share) }
        #expect(throws: SessionError.executableChanged) { try work.value() }
        #expect(asides.waiting == 0)
    }

    /// A request whose connection is given away stops waiting.
    @Test func whoseConnectionIsGivenAwayGivesUp() throws {
        let hog = try TestConnection()
        let shares = try all(for: hog)
        let connection = try TestConnection()
        let work = home.begin(request, on: connection)
        try until { asides.waiting == 1 }
        connection.slot.end()
        try until { asides.waiting == 0 }
        _ = try? work.value()
        for share in shares { asides.give(back: share) }
    }
}
