import ChatelaineMemory
import ChatelaineModel
import Foundation
import Synchronization
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Threads that use one store at the same time see whole changes only, and each change happens once.
@Suite struct ConcurrencyTests {
    /// Runs `body` in as many threads, and waits for them.
    private func threads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let failures = Mutex<[any Error]>([])
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            Thread.detachNewThread {
                do { try body(index) } catch { failures.withLock { $0.append(error) } }
                group.leave()
            }
        }
        group.wait()
        #expect(failures.withLock { $0.isEmpty }, "\(failures.withLock { $0 })")
    }

    @Test func threadsThatDoEverythingAtOnce() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        try store.add(.password("shared", "all", secret: "0"))
        try threads(8) { thread in
            for round in 0..<25 {
                let item = NewItem.password("svc-\(thread)", "\(round)", secret: "\(round)", returns: .data)
                try store.add(item)
                #expect(try store.find(item.query).map(\.password) == ["\(round)"])
                var change = ItemChange()
                change.secret = SecretBytes("\(thread)-\(round)".utf8)
                try store.update(.password("shared"), change)
                #expect(try store.find(.password("shared", returns: .data)).count == 1)
                if round % 2 == 0 { try store.delete(item.query) }
            }
        }
        let all = ItemQuery(itemClass: .genericPassword).with {
            $0.limit = .all
            $0.returns = .data
        }
        #expect(try store.find(all).count == 8 * 12 + 1)
        #expect(fixture.quarantined().isEmpty)
        let changes: UInt64 = 1 + 8 * (25 + 25 + 13)
        #expect(try store.statistics().sequence == changes)
        #expect(try fixture.marked() == store.statistics().sequence)
    }

    @Test func oneOfManyIdenticalAdditionsWins() throws {
        let store = try StoreFixture().open()
        let added = Atomic<Int>(0)
        try threads(8) { _ in
            do {
                try store.add(.password("svc", "a", secret: "1"))
                added.add(1, ordering: .relaxed)
            } catch let error as KeychainError {
                #expect(error.status == .duplicateItem)
            }
        }
        #expect(added.load(ordering: .relaxed) == 1)
    }

    @Test func oneRequestFromManyThreadsHappensOnce() throws {
        let store = try StoreFixture().open()
        let request = try ChangeRequest.fresh()
        let identifiers = Mutex<Set<ItemIdentifier>>([])
        try threads(8) { _ in
            let item = try store.add(.password("svc", "a", secret: "1"), group: StoreFixture.group, request: request)
            _ = identifiers.withLock { $0.insert(item.identifier) }
        }
        #expect(identifiers.withLock { $0.count } == 1)
        #expect(try store.statistics().sequence == 1)
    }

    @Test func readersSeeWholeChangesOnly() throws {
        let store = try StoreFixture().open()
        for index in 0..<20 { try store.add(.password("svc", "\(index)", secret: "0")) }
        let isDone = Atomic<Bool>(false)
        try threads(4) { thread in
            if thread == 0 {
                defer { isDone.store(true, ordering: .relaxed) }
                for round in 1...30 {
                    var change = ItemChange()
                    change.attributes[.label] = .text("\(round)")
                    try store.update(.password("svc"), change)
                }
            } else {
                repeat {
                    let query = ItemQuery.password("svc", returns: .attributes).with { $0.limit = .all }
                    let labels = Set(try store.find(query).map { $0.attributes[.label] })
                    #expect(labels.count == 1)
                } while !isDone.load(ordering: .relaxed)
            }
        }
    }
}
