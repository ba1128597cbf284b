import ChatelaineModel
import EnclaveProtocol
import Glibc
import InProcess
import ItemStore
import TestSupport
import Testing

@testable import CallerIdentity
@testable import SecurityServer

/// With the passcode no denial is undone.
///
/// Somebody who may write the user's files ends daemons between a decision's signature and its first check, and gains
/// nothing.
struct UndoneDenialTests {
    private let home: ConstraintHome
    private let store: ItemStore
    private var list: String { home.folder.path + "/identity/applications" }
    private let denial = Bytes32([UInt8](repeating: 7, count: 32))
    private let made: CanonicalPath
    private let another = Bytes32([UInt8](repeating: 8, count: 32))

    init() throws {
        home = try ConstraintHome()
        made = try #require(CanonicalPath("/made"))
        store = try home.services.keychains.default.keychain().store
    }

    /// Reads the list as another securityd.
    private func opened() throws -> (service: IdentityService, ledger: ApplicationLedger) {
        let service = IdentityService(
            user: geteuid(), stateFolder: home.folder.path, enclave: home.enclave, verifier: UnreadableSignatures())
        try service.open(with: store)
        return (service, try #require(service.opened?.ledger))
    }

    private func decide(_ decision: ApplicationLedger.Decision, in service: IdentityService) throws {
        let pipe = try TestPipe(Array(ConstraintHome.passcode.utf8))
        try service.carryOut(
            decision, GivenPasscode(origin: .agent, store: home.store, files: [pipe.reading]))
    }

    /// Signs and writes a decision, and ends there.
    private func begin(_ decision: ApplicationLedger.Decision, in ledger: ApplicationLedger) throws {
        let draft = try ledger.prepare(decision, isToBeEndorsed: true)
        let report = try home.passcode(EndorseRecords(draft.digest, .agent, in: home.store), ConstraintHome.passcode)
        let endorsement = try #require(report.endorsement)
        try ledger.carryOut(draft, endorsement)
    }

    /// Rewrites the list with its key, which is among the user's files.
    private func rewrite(_ change: (inout ApplicationLedger.Content) -> Void) throws {
        let file = AuthenticatedFile(
            folder: home.folder.path + "/identity", name: "applications", kind: ApplicationLedger.fileKind,
            version: ApplicationLedger.fileVersion, limit: ApplicationLedger.fileLimit, key: store.keys[.applications],
            files: .system)
        var content = try ApplicationLedger.decoded(try #require(try file.read()))
        change(&content)
        try file.write(ApplicationLedger.encoded(content))
    }

    @Test func whatIsLostStaysUnknown() throws {
        let first = try opened()
        try decide(.setTrust(denial), in: first.service)
        unlink(list)
        let second = try opened()
        #expect(second.ledger.trustSettings == .unknown)
        try begin(.develop(made, isFolder: true), in: second.ledger)
        try rewrite { $0.trust = nil }
        let third = try opened()
        #expect(third.ledger.trustSettings == .unknown)
        // Only a decision with the passcode ends the denial.
        try decide(.setTrust(nil), in: third.service)
        #expect(third.ledger.trustSettings == .none)
        #expect(try opened().ledger.trustSettings == .none)
    }

    /// A decision that was begun before and never checked does not replace the last one.
    @Test func aDecisionThatWasBegunIsNoneOnceAnotherIsMade() throws {
        let first = try opened()
        try decide(.setTrust(denial), in: first.service)
        let former = TemporaryFolder.read(list)
        try begin(.setTrust(another), in: first.ledger)
        let begun = TemporaryFolder.read(list)
        TemporaryFolder.write(list, former)
        let second = try opened()
        #expect(try second.ledger.trustSettings == .file(#require(denial)))
        try decide(.develop(made, isFolder: true), in: second.service)
        let last = TemporaryFolder.read(list)
        for _ in 0..<2 {
            TemporaryFolder.write(list, begun)
            #expect(try opened().ledger.trustSettings == .unknown)
            TemporaryFolder.write(list, last)
            #expect(try opened().ledger.trustSettings == .file(#require(denial)))
        }
    }
}
