import ChatelaineMemory
import ChatelaineModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Simultaneous changes are committed together, and each ends as it would alone.
@Suite struct GroupCommitTests {
    private typealias Change = @Sendable (ItemStore) throws -> Void

    private let fixture = StoreFixture()

    /// Lets changes wait for the same turn and returns the status of each, nil for success.
    private func together(_ store: ItemStore, _ changes: [Change]) throws -> [Status?] {
        let ends = Mutex([Status?](repeating: nil, count: changes.count))
        let group = DispatchGroup()
        try store.engine.commits.alone { () throws(KeychainError) in
            for (index, change) in changes.enumerated() {
                group.enter()
                Thread.detachNewThread {
                    defer { group.leave() }
                    do { try change(store) } catch let error as KeychainError {
                        ends.withLock { $0[index] = error.status }
                    } catch {
                        ends.withLock { $0[index] = .internalComponent }
                    }
                }
                // The changes queue up in the order of the list.
                try? until(every: 50) { store.engine.commits.pending > index }
            }
        }
        group.wait()
        return ends.withLock { $0 }
    }

    /// The number of commits in the log: a commit frame gives the number of pages of the database
    /// (sqlite.org/fileformat2.html, 4.1).
    private func commits() throws -> Int {
        let log = try Data(contentsOf: URL(fileURLWithPath: fixture.database + "-wal"))
        return stride(from: 32, to: log.count - 24, by: 24 + 4096).count {
            log[($0 + 4)..<($0 + 8)].contains { $0 != 0 }
        }
    }

    private func add(_ account: String) -> Change { { try $0.add(.password("svc", account, secret: account)) } }

    @Test func changesThatWaitAreOneCommit() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "first", secret: "first"))
        let (before, sequence) = (try commits(), try store.statistics().sequence)
        let names = (0..<12).map { "\($0)" }
        #expect(try together(store, names.map { add($0) }) == names.map { _ in nil })
        #expect(try commits() == before + 1)
        // Each change still has its own number, and a row that carries it.
        #expect(try store.statistics().sequence == sequence + 12)
        #expect(try fixture.marked() == sequence + 12)
        #expect(try store.integer("SELECT count(DISTINCT sequence) FROM items") == 13)
        for name in names { #expect(try store.find(.password("svc", name, returns: .data)).map(\.password) == [name]) }
        #expect(try store.verifyRows().isEmpty)
        #expect(try fixture.open().verifyRows().isEmpty)
    }

    @Test func whatComesToNothingIsTakenBackAlone() throws {
        let store = try fixture.open()
        let sequence = try store.statistics().sequence
        let again = try ChangeRequest.fresh()
        let twice: Change = { store in
            _ = try store.add(.password("svc", "b", secret: "1"), group: StoreFixture.group, request: again)
        }
        let ends = try together(store, [add("a"), add("a"), twice, twice, add("c")])
        #expect(ends == [nil, .duplicateItem, nil, nil, nil])
        #expect(try store.statistics().sequence == sequence + 3)
        #expect(try store.integer("SELECT count(*) FROM items") == 3)
        #expect(try store.verifyRows().isEmpty)
    }

    @Test func oneThatFailsHoldsUpNoOther() throws {
        let store = try fixture.open()
        let name = ItemIdentifier().bytes + ItemIdentifier().bytes
        let used = try [1, 2].map { try ChangeRequest(name: name, digest: Array(repeating: $0, count: 32)) }
        let sequence = try store.statistics().sequence
        let changes = used.enumerated().map { index, request -> Change in
            { store in
                _ = try store.add(
                    .password("svc", "used \(index)", secret: "1"), group: StoreFixture.group, request: request)
            }
        }
        let ends = try together(store, [add("a"), changes[0], changes[1], add("b")])
        #expect(ends == [nil, nil, .param, nil])
        #expect(try store.statistics().sequence == sequence + 3)
        #expect(try store.verifyRows().isEmpty)
    }

    @Test func moreThanFitIntoOneTransactionAreAllCarriedOut() throws {
        let store = try fixture.open()
        let names = (0..<(GroupCommit.maximumChanges + 5)).map { "\($0)" }
        #expect(try together(store, names.map { add($0) }).allSatisfy { $0 == nil })
        #expect(try store.integer("SELECT count(*) FROM items") == names.count)
        #expect(try store.verifyRows().isEmpty)
    }
}
