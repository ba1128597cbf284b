import ChatelaineModel
import Foundation
import Testing

@testable import FileKeychains
@testable import ItemStore
@testable import StoreEngine

/// A file that may only be read lacks the same changes at each opening, and each loss is told once.
@Suite struct ReadOnlyLossTests {
    let fixture: KeychainFixture
    let keychain: FileKeychain

    init() throws {
        fixture = try KeychainFixture()
        keychain = try fixture.madeElsewhere("ci")
        for index in 0..<40 { try keychain.add("svc", "\(index)", "secret \(index)") }
        try fixture.lock(keychain)
    }

    /// Opens the keychain, keeps it as the daemon does, and locks it; answers what is told as missing meanwhile.
    private func looked(acknowledging: Bool = false) throws -> [LossReport] {
        try fixture.unlock(keychain, lent: fixture.lend("ci", O_RDONLY))
        // The store is opened anew where it is found damaged.
        do { try keep(keychain.store()) } catch let error as KeychainError where error.cause == .damage {
            try keep(keychain.store())
        }
        let store = try keychain.store()
        let losses = try store.losses()
        if acknowledging { _ = try store.acknowledgeLosses() }
        try fixture.lock(keychain)
        return losses
    }

    private func keep(_ store: ItemStore) throws {
        while try store.continueRecovery() {}
        var position: Int64? = 0
        while let next = position { position = try store.check(from: next).next }
        try store.verifyRows()
        keychain.takeSnapshotIfDue(of: store)
        try store.maintain()
    }

    private func figures(_ losses: [LossReport]) -> [LossReport] {
        losses.map { report in
            var report = report
            report.found = 0
            return report
        }
    }

    /// The same losses are told at each opening, and none once somebody has acknowledged them.
    private func expectSame(_ isExpected: (LossReport) -> Bool) throws {
        let before = try fixture.bytes("ci")
        let first = try figures(looked())
        #expect(first.count == 1 && first.allSatisfy(isExpected), "\(first)")
        for _ in 0..<3 { #expect(try figures(looked()) == first) }
        #expect(try figures(looked(acknowledging: true)) == first)
        for _ in 0..<2 { #expect(try looked().isEmpty) }
        #expect(try fixture.bytes("ci") == before)
        // Nothing is left but what is told.
        #expect(try fixture.ours().allSatisfy { $0.hasSuffix(".losses.jsonl") || $0.hasSuffix(".unacknowledged") })
    }

    @Test func aFileBehindItsMark() throws {
        let before = try fixture.bytes("ci")
        try fixture.unlock(keychain, lent: fixture.lend("ci"))
        for index in 40..<43 { try keychain.add("svc", "\(index)", "secret") }
        try fixture.lock(keychain)
        try fixture.write(before, over: "ci")
        try expectSame { $0.cause == .markAhead && $0.changes == 3 }
    }

    @Test func aDamagedFile() throws {
        let pages = try fixture.bytes("ci").count / KeychainFixture.pageSize
        try fixture.garble(pages - 2...pages - 1, of: "ci")
        try expectSame { $0.cause == .recovery }
    }

    @Test func aFileWithRowsThatDoNotOpen() throws {
        try fixture.write("UPDATE items SET secret = zeroblob(length(secret)) WHERE row = 7", to: "ci")
        let first = try looked()
        #expect(first.reduce(0) { $0 + $1.setAside } == 1)
        for _ in 0..<3 { #expect(try figures(looked()) == figures(first)) }
        #expect(try figures(looked(acknowledging: true)) == figures(first))
        #expect(try looked().isEmpty)
    }

    /// The mark goes on where the file does, so that an older copy in its place is told.
    @Test func theMarkFollowsAFileThatLostNothing() throws {
        let before = try fixture.bytes("ci")
        let other = fixture.elsewhere("ci", places: fixture.places("other"))
        try fixture.unlock(other, lent: fixture.lend("ci"))
        try other.add("svc", "new", "1")
        try fixture.lock(other)
        #expect(try looked().isEmpty)
        try fixture.write(before, over: "ci")
        let losses = try looked()
        #expect(losses.map(\.cause) == [.markAhead] && losses.first?.changes == 1)
    }

    @Test func aFileThatIsWritableAgainIsToldOnce() throws {
        let before = try fixture.bytes("ci")
        try fixture.unlock(keychain, lent: fixture.lend("ci"))
        try keychain.add("svc", "late", "1")
        try fixture.lock(keychain)
        try fixture.write(before, over: "ci")
        let losses = try looked()
        for _ in 0..<2 {
            try fixture.unlock(keychain, lent: fixture.lend("ci"))
            #expect(try figures(keychain.store().losses()) == figures(losses))
            try fixture.lock(keychain)
        }
    }
}
