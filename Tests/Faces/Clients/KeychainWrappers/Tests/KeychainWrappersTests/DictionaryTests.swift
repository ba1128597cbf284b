import Security
import XCTest

@testable import KeychainWrappers

final class DictionaryTests: XCTestCase {
    func testMutableDictionaries() {
        let items = ItemDictionary(service: "mutable")
        _ = items.delete(account: "anna")
        XCTAssertEqual(items.load(account: "anna").0, errSecItemNotFound)
        XCTAssertEqual(items.save(NSData(data: Data([1, 2, 3])), account: "anna"), errSecSuccess)
        XCTAssertEqual(items.save(NSData(data: Data([4, 5, 6])), account: "anna"), errSecSuccess)
        XCTAssertEqual(items.load(account: "anna").1, NSData(data: Data([4, 5, 6])))
        let attributes = items.attributes(account: "anna")
        XCTAssertEqual(attributes?[kSecAttrAccount] as? String, "anna")
        XCTAssertEqual(attributes?[kSecAttrAccount as String] as? String, "anna")
        XCTAssertEqual(attributes?["svce"] as? String, "mutable")
        XCTAssertNil(attributes?[kSecValueData])
        XCTAssertEqual(items.delete(account: "anna"), errSecSuccess)
        XCTAssertEqual(items.delete(account: "anna"), errSecItemNotFound)
    }

    func testReturnedAttributesAreAQuery() throws {
        let items = ItemDictionary(service: "again")
        _ = items.delete(account: "anna")
        XCTAssertEqual(items.save(NSData(data: Data([7])), account: "anna"), errSecSuccess)
        let returned = items.attributes(account: "anna") as? [String: Any]
        var query = try XCTUnwrap(returned)
        query[kSecClass as String] = kSecClassGenericPassword
        query[kSecReturnData as String] = true
        var result: CFTypeRef?
        XCTAssertEqual(SecItemCopyMatching(query as CFDictionary, &result), errSecSuccess)
        XCTAssertEqual(result as? Data, Data([7]))
        XCTAssertEqual(items.delete(account: "anna"), errSecSuccess)
    }

    func testPersistentReferences() throws {
        let service = "references"
        for reference in try ConstantKeyed.references(service: service) { try ConstantKeyed.delete(reference: reference) }
        let local = try ConstantKeyed.add(Data([1]), service: service, account: "anna")
        let shared = try ConstantKeyed.add(Data([2]), service: service, account: "anna", synchronizable: true)
        XCTAssertEqual(Set(try ConstantKeyed.references(service: service)), [local, shared])
        try ConstantKeyed.rename(reference: local, account: "bert")
        XCTAssertEqual(try ConstantKeyed.secret(reference: local), Data([1]))
        XCTAssertEqual(try ConstantKeyed.secret(reference: shared), Data([2]))
        try ConstantKeyed.delete(reference: local)
        XCTAssertThrowsError(try ConstantKeyed.secret(reference: local)) {
            XCTAssertEqual(($0 as NSError).code, Int(errSecItemNotFound))
            XCTAssertEqual(($0 as NSError).domain, NSOSStatusErrorDomain)
        }
        try ConstantKeyed.delete(reference: shared)
        XCTAssertEqual(try ConstantKeyed.references(service: service), [])
    }

    func testFoundationOnly() throws {
        let items = ItemDictionary(service: "foundation")
        _ = items.delete(account: "anna")
        XCTAssertFalse(FoundationOnly().exists(service: "foundation", account: "anna"))
        XCTAssertEqual(items.save(NSData(), account: "anna"), errSecSuccess)
        XCTAssertTrue(FoundationOnly().exists(service: "foundation", account: "anna"))
        XCTAssertEqual(items.delete(account: "anna"), errSecSuccess)
        XCTAssertEqual(FoundationOnly().randomBytes(32)?.count, 32)
        XCTAssertNotEqual(FoundationOnly().randomBytes(32), FoundationOnly().randomBytes(32))
    }

    func testNoMatchLeavesTheResultAlone() {
        let query = [kSecClass: kSecClassGenericPassword, kSecAttrService: "absent", kSecReturnData: true] as CFDictionary
        var result: AnyObject? = "untouched" as NSString
        XCTAssertEqual(SecItemCopyMatching(query, &result), errSecItemNotFound)
        XCTAssertEqual(result as? String, "untouched")
    }
}
