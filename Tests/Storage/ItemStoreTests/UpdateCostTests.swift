import ChatelaineMemory
import ChatelaineModel
import Foundation
import Testing

@testable import ItemStore
@testable import StoreEngine

/// What an update reads and writes: the writing connection where it is free, and only indices whose values change.
@Suite struct UpdateCostTests {
    private let fixture = StoreFixture()
    private static let frameBytes = 4096 + 24

    private func filled() throws -> ItemStore {
        let store = try fixture.open()
        for index in 0..<20 {
            try store.add(
                .password("svc", "\(index)", secret: "0").with { $0.attributes[.label] = .text("label \(index)") })
        }
        return store
    }

    /// The pages that a change adds to the log.
    private func pages(_ change: () throws -> Void) throws -> Int {
        func size() throws -> Int {
            let log = try FileManager.default.attributesOfItem(atPath: fixture.database + "-wal")
            return try #require(log[.size] as? Int)
        }
        let before = try size()
        try change()
        return (try size() - before) / Self.frameBytes
    }

    private func labelled(_ label: String) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.label] = .text(label)
        query.returns = .data
        return query
    }

    private func check(_ store: ItemStore) throws {
        #expect(try store.verifyRows().isEmpty)
        let answer = try store.writer.withDatabase { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
        #expect(answer == "ok")
        #expect(fixture.quarantined().isEmpty)
    }

    /// ``PreparedRow/isIndexed(like:)`` compares each of them. A further indexed column has to be compared there, too.
    @Test func theIndexedColumnsAreCompared() {
        let indexed = Set(ItemColumn.changing).subtracting(ItemColumn.changingContent)
        #expect(indexed == Set([.tomb, .groupDigest, .uniqueDigest] + ItemColumn.search))
    }

    @Test func aNewSecretTouchesNoIndex() throws {
        let store = try filled()
        let secret = ItemChange().with { $0.secret = SecretBytes("1".utf8) }
        let label = ItemChange().with { $0.attributes[.label] = .text("another") }
        // The row, the answer with its index, and the head record.
        #expect(try pages { try store.update(.password("svc", "3"), secret) } <= 5)
        #expect(try pages { try store.update(.password("svc", "4"), label) } > 5)
        #expect(try store.find(.password("svc", "3", returns: .data)).map(\.password) == ["1"])
        #expect(try store.find(labelled("label 3")).map(\.password) == ["1"])
        #expect(try store.find(labelled("another")).map(\.password) == ["0"])
        expect(.itemNotFound) { try store.update(labelled("label 4").with { $0.returns = [] }, secret) }
        try check(store)
    }

    @Test func eachAttributeThatIsSearchedMovesItsIndices() throws {
        let store = try filled()
        func change(_ account: String, _ change: (inout ItemChange) -> Void) throws {
            try store.update(.password("svc", account), ItemChange().with(change))
        }
        try change("0") { $0.attributes[.account] = .text("new") }
        try change("1") { $0.attributes[.service] = .text("other") }
        try change("2") { $0.isSynchronizable = true }
        try change("3") { $0.attributes[.comment] = .text("only sealed") }
        try change("4") { $0.accessibility = .always }
        #expect(try store.find(.password("svc", "new", returns: .data)).count == 1)
        #expect(try store.find(.password("svc", "0", returns: .data)).isEmpty)
        #expect(try store.find(.password("other", "1", returns: .data)).count == 1)
        let anywhere = ItemQuery.password("svc", "2", returns: .data).with { $0.synchronizable = .any }
        #expect(try store.find(anywhere).count == 1)
        let found = try store.find(.password("svc", "3", returns: .attributes)).first
        #expect(found?.attributes[.comment] == .text("only sealed"))
        #expect(try store.find(.password("svc", "4", returns: .data)).count == 1)
        // A tombstone has the digest of its item and none to search by.
        try store.delete(anywhere.with { $0.returns = [] })
        #expect(try store.find(anywhere).isEmpty)
        expect(.duplicateItem) {
            try store.update(.password("svc", "5"), ItemChange().with { $0.attributes[.account] = .text("6") })
        }
        try check(store)
    }

    // MARK: Reading for a change

    @Test func aChangeReadsOnTheWritingConnectionWhereItIsFree() throws {
        let store = try filled()
        let writing = try store.writer.withConnection { handle throws(KeychainError) in UInt(bitPattern: handle) }
        func connection() throws -> UInt {
            try store.engine.readForChange { reader throws(KeychainError) in UInt(bitPattern: reader.handle) }
        }
        #expect(try connection() == writing)
        // While a change has the turn, another one that is prepared does not wait for it.
        let besides = try store.engine.commits.alone { () throws(KeychainError) in
            try store.engine.readForChange { reader throws(KeychainError) in UInt(bitPattern: reader.handle) }
        }
        #expect(besides != writing)
    }

    @Test func whatFailsThereIsReadAgainByAReader() throws {
        let store = try filled()
        var connections: [UInt] = []
        let sequence = try store.engine.readForChange { reader throws(KeychainError) in
            connections.append(UInt(bitPattern: reader.handle))
            if connections.count == 1 { throw KeychainError(.notAvailable, "once") }
            return try reader.statements.sequence()
        }
        #expect(sequence == 20)
        #expect(Set(connections).count == 2)
        // The writing connection is left without a transaction.
        try store.add(.password("svc", "after", secret: "1"))
        #expect(try store.sequence() == 21)
    }

    /// A request that is repeated gets its first answer where its preparation fails now.
    @Test func aRepeatedDeletionGetsItsFirstAnswer() throws {
        let store = try filled()
        let request = try ChangeRequest.fresh()
        for _ in 0..<3 {
            try store.delete(.password("svc", "7"), groups: [StoreFixture.group], request: request)
        }
        #expect(try store.sequence() == 21)
        expect(.itemNotFound) { try store.delete(.password("svc", "7")) }
    }
}
