import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import Synchronization
import Testing

@testable import ItemStore
@testable import StoreEngine

/// The authoriser decides about each opened row before anything is done with it.
@Suite struct RowAuthoriserTests {
    private let fixture = StoreFixture()
    private let store: ItemStore

    init() throws {
        store = try fixture.open()
        for number in 0..<5 { try store.add(.password("svc", "\(number)", secret: "secret \(number)")) }
    }

    private static func account(_ row: RowAccess) throws(KeychainError) -> String {
        guard case .text(let account)? = try row.attributes()[.account] else { return "" }
        return account
    }

    private func find(_ query: ItemQuery, _ authoriser: RowAuthoriser) throws -> [FoundItem] {
        try store.find(query, groups: [StoreFixture.group], authorise: authoriser)
    }

    private func query(_ limit: MatchLimit, returns: ReturnTypes = .data) -> ItemQuery {
        var query = ItemQuery.password("svc", returns: returns)
        query.limit = limit
        return query
    }

    @Test func itIsAskedOfEachRowBeforeSecretsAreUnsealed() throws {
        let asked = Mutex<[RowOperation]>([])
        let refusal = KeychainError(.authFailed, "not that one")
        #expect(throws: refusal) {
            try find(query(.all)) { (row, operation) throws(KeychainError) in
                asked.withLock { $0.append(operation) }
                if try Self.account(row) == "3" { throw refusal }
                return true
            }
        }
        #expect(asked.withLock { $0.count } <= 5 && asked.withLock { $0.allSatisfy { $0 == .readSecret } })
        #expect(fixture.keys.state.withLock { $0.rowKeyRequests } == [])
        _ = try find(query(.all, returns: .attributes)) { _, operation in
            asked.withLock { $0 = [operation] }
            return true
        }
        #expect(asked.withLock { $0 } == [.readAttributes])
    }

    /// The authoriser may ask for a row's wrapped key, even if the search reads no secret.
    @Test func theWrappedKeyIsReadWhereItIsAskedFor() throws {
        let keys = Mutex<[WrappedRowKey?]>([])
        for returns in [ReturnTypes.attributes, .data] {
            _ = try find(query(.one, returns: returns)) { (row, _) throws(KeychainError) in
                let key = try row.wrappedKey()
                keys.withLock { $0.append(key) }
                return true
            }
        }
        let found = try keys.withLock { try $0.map { try #require($0) } }
        #expect(found.count == 2 && found[0].wrapped == found[1].wrapped && found[0].context == found[1].context)
        let opened = try fixture.keys.openRowKeys(found, for: nil, in: store.identifier)
        #expect(opened.allSatisfy { if case .success = $0 { true } else { false } })
    }

    /// However many rows are left out, one that follows is found.
    @Test(arguments: [1, 65, 200]) func manyLeftOutRowsHideNoOther(_ count: Int) throws {
        for number in 0..<count { try store.add(.password("many", "left out \(number)", secret: "s")) }
        try store.add(.password("many", "open", secret: "found"))
        for returns in [ReturnTypes.data, .attributes] {
            for limit in [MatchLimit.one, .count(3), .all] {
                var query = ItemQuery.password("many", returns: returns)
                query.limit = limit
                let found = try find(query) { (row, _) throws(KeychainError) in try Self.account(row) == "open" }
                #expect(found.count == 1)
                #expect(try find(query) { _, _ in false }.isEmpty)
            }
        }
    }

    /// Nobody is asked about rows that are not needed.
    @Test func theDecisionsEndWithTheLimit() throws {
        let asked = Mutex<[String]>([])
        let found = try find(query(.count(2))) { (row, _) throws(KeychainError) in
            let account = try Self.account(row)
            asked.withLock { $0.append(account) }
            return account != "0"
        }
        #expect(found.count == 2)
        #expect(asked.withLock { Set($0) } == ["0", "1", "2"])
    }

    /// A keychain that is locked during the decision is locked to the caller, and not changed.
    @Test func aLockDuringTheDecisionIsTold() throws {
        #expect(throws: KeychainError(.interactionNotAllowed, "")) {
            try find(query(.one)) { (row, _) throws(KeychainError) in
                store.metadataKeys.forget()
                fixture.keys.state.withLock { $0.locked = Set(Accessibility.allCases) }
                return try Self.account(row) == "0"
            }
        }
    }

    @Test func othersTakeThePlacesOfThoseLeftOut() throws {
        for limit in [MatchLimit.one, .count(2), .all] {
            let found = try find(query(limit)) { (row, _) throws(KeychainError) in
                ["2", "4"].contains(try Self.account(row))
            }
            let secrets = Set(
                found.map { $0.secret.map { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } } })
            #expect(secrets.count == (limit == .one ? 1 : 2) && secrets.isSubset(of: ["secret 2", "secret 4"]))
        }
        #expect(try find(query(.all)) { _, _ in false }.isEmpty)
    }

    @Test func changesLeaveOutWhatTheyMayNotTouch() throws {
        var change = ItemChange()
        change.attributes[.comment] = .text("changed")
        try store.update(.password("svc"), change, groups: [StoreFixture.group], request: .fresh()) {
            (row, operation) throws(KeychainError) in
            #expect(operation == .update)
            return try Self.account(row) == "1"
        }
        try store.delete(.password("svc"), groups: [StoreFixture.group], request: .fresh()) {
            (row, operation) throws(KeychainError) in
            #expect(operation == .delete)
            return try Self.account(row) == "2"
        }
        let left = try store.find(query(.all, returns: .attributes), groups: [StoreFixture.group])
        #expect(left.count == 4)
        #expect(left.filter { $0.attributes[.comment] == .text("changed") }.count == 1)
        #expect(throws: KeychainError(.itemNotFound, "")) {
            try store.delete(.password("svc"), groups: [StoreFixture.group], request: .fresh()) { _, _ in false }
        }
    }

    /// Another thread changes the row after the decision, so the authoriser decides again about the version that is
    /// changed.
    @Test func aChangeIsWrittenInTheVersionThatWasDecidedAbout() throws {
        let versions = Mutex<[UInt64]>([])
        let isOvertaken = Mutex(false)
        var change = ItemChange()
        change.secret = SecretBytes(Array("mine".utf8))
        fixture.keys.state.withLock { state in
            state.beforeCreating = { [store] in
                let isFirst = isOvertaken.withLock { isOvertaken in
                    defer { isOvertaken = true }
                    return !isOvertaken
                }
                guard isFirst else { return }
                var other = ItemChange()
                other.attributes[.comment] = .text("theirs")
                try? store.update(.password("svc", "1"), other, groups: [StoreFixture.group], request: .fresh())
            }
        }
        try store.update(.password("svc", "1"), change, groups: [StoreFixture.group], request: .fresh()) { row, _ in
            versions.withLock { $0.append(row.context.version) }
            return true
        }
        #expect(versions.withLock { $0 } == [1, 2])
        let refusal = KeychainError(.authFailed, "another version")
        isOvertaken.withLock { $0 = false }
        #expect(throws: refusal) {
            try store.update(.password("svc", "1"), change, groups: [StoreFixture.group], request: .fresh()) {
                (row, _) throws(KeychainError) in
                guard row.context.version == 3 else { throw refusal }
                return true
            }
        }
    }
}
