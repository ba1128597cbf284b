import ChatelaineMemory
import ChatelaineModel
import Foundation
import ItemStore
import StoreEngine
import Testing

@testable import FileKeychains

/// Access objects of items in file keychains are stored and authenticated with the attributes, and shown to the code
/// that decides about access.
@Suite struct KeychainAccessTests {
    let fixture: KeychainFixture

    init() throws { fixture = try KeychainFixture() }

    private static func access(_ description: String, _ paths: [String] = []) -> AccessObject {
        AccessObject.default(
            descriptor: description,
            trusted: paths.map { path in
                TrustedApplication(.identifier(AccessGroup("path:" + path)), .file, at: ExactText(path))
            })
    }

    private func add(_ account: String, _ access: AccessObject?, to keychain: FileKeychain) throws {
        var item = NewItem(itemClass: .genericPassword)
        item.attributes[.service] = .text("svc")
        item.attributes[.account] = .text(account)
        item.secret = SecretBytes("secret".utf8)
        item.access = access
        let request = try ChangeRequest(
            name: ItemIdentifier().bytes + ItemIdentifier().bytes, digest: Array(repeating: 0, count: 32))
        _ = try keychain.store().add(item, group: FileKeychain.group, request: request)
    }

    private func accesses(_ keychain: FileKeychain) throws -> [AccessObject?] {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.service] = .text("svc")
        query.limit = .all
        query.returns = [.data]
        var found: [AccessObject?] = []
        _ = try keychain.store().find(
            query, groups: [FileKeychain.group],
            authorise: { (row, _) throws(KeychainError) in
                found.append(try row.access())
                return true
            })
        return found
    }

    @Test func whatIsStoredIsWhatIsDecidedBy() throws {
        let keychain = try fixture.made("work")
        let access = Self.access("an item", ["/srv/bin/first", "/srv/bin/second"])
        try add("anna", access, to: keychain)
        try add("bert", nil, to: keychain)
        #expect(try accesses(keychain) == [access, nil])
        try fixture.lock(keychain)
        try fixture.unlock(keychain)
        #expect(try accesses(keychain) == [access, nil])
    }

    @Test func aChangeOfAttributesLeavesItAndAnotherOneTakesItsPlace() throws {
        let keychain = try fixture.made("work")
        let (first, second) = (Self.access("first", ["/srv/bin/first"]), Self.access("second"))
        try add("anna", first, to: keychain)
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.account] = .text("anna")
        func update(_ change: ItemChange) throws {
            let request = try ChangeRequest(
                name: ItemIdentifier().bytes + ItemIdentifier().bytes, digest: Array(repeating: 0, count: 32))
            try keychain.store().update(query, change, groups: [FileKeychain.group], request: request)
        }
        var change = ItemChange()
        change.attributes[.label] = .text("a label")
        change.secret = SecretBytes("another".utf8)
        try update(change)
        #expect(try accesses(keychain) == [first])
        change = ItemChange()
        change.access = second
        try update(change)
        #expect(try accesses(keychain) == [second])
        #expect(try keychain.secret("svc", "anna") == "another")
    }

    @Test func oneThatWasEditedInTheFileIsFound() throws {
        let keychain = try fixture.made("work")
        try add("anna", Self.access("mine", ["/srv/bin/first"]), to: keychain)
        try fixture.lock(keychain)
        try fixture.write(
            """
            UPDATE items SET metadata = CAST(replace(CAST(metadata AS TEXT), '/srv/bin/first', '/srv/bin/thief') AS BLOB)
            """, to: "work")
        try fixture.unlock(keychain)
        #expect(try accesses(keychain).isEmpty)
        #expect(fixture.said().contains("quarantine"))
    }

    @Test func tenThousandApplicationsFitAndMoreThanThereMayBeDoNot() throws {
        let keychain = try fixture.made("work")
        let many = Self.access("many", (0..<10_000).map { "/srv/lib/programs/number-\($0)" })
        try add("anna", many, to: keychain)
        try fixture.lock(keychain)
        try fixture.unlock(keychain)
        #expect(try accesses(keychain) == [many])
        let more = Self.access("more", (0..<ACLLimits.applications + 1).map { "/\($0)" })
        #expect(throws: KeychainError(.dataTooLarge, "")) { try add("bert", more, to: keychain) }
    }
}
