import Security
import XCTest

@testable import KeychainWrappers

final class KeychainTests: XCTestCase {
    private let keychain = Keychain(service: "com.example.github-token")

    override func setUpWithError() throws { try keychain.removeAll() }
    override func tearDownWithError() throws { try keychain.removeAll() }

    func testSubscriptStoresUpdatesAndRemoves() throws {
        XCTAssertNil(keychain["anna"])
        keychain["anna"] = "01234567-89ab-cdef"
        XCTAssertEqual(keychain["anna"], "01234567-89ab-cdef")
        keychain["anna"] = "changed"
        XCTAssertEqual(keychain["anna"], "changed")
        XCTAssertNil(keychain["bert"])
        keychain["anna"] = nil
        XCTAssertNil(keychain["anna"])
        XCTAssertNoThrow(try keychain.remove("anna"))
    }

    func testServicesAreApart() throws {
        let other = Keychain(service: "com.example.other")
        defer { try? other.removeAll() }
        try keychain.set("one", key: "account")
        try other.set("two", key: "account")
        XCTAssertEqual(keychain["account"], "one")
        XCTAssertEqual(other["account"], "two")
        try keychain.removeAll()
        XCTAssertNil(keychain["account"])
        XCTAssertEqual(other["account"], "two")
    }

    func testAttributesComeBackWithTheirTypes() throws {
        let before = Date(timeIntervalSinceNow: -5)
        try keychain.label("GitHub").comment("a token").accessibility(.whenUnlocked).set("secret", key: "anna")
        let found = try keychain.get("anna") { $0 }
        let attributes = try XCTUnwrap(found)
        XCTAssertEqual(attributes.account, "anna")
        XCTAssertEqual(attributes.service, "com.example.github-token")
        XCTAssertEqual(attributes.label, "GitHub")
        XCTAssertEqual(attributes.comment, "a token")
        XCTAssertEqual(attributes.accessible, kSecAttrAccessibleWhenUnlocked as String)
        XCTAssertEqual(attributes.synchronizable, false)
        XCTAssertEqual(attributes.data, Data("secret".utf8))
        XCTAssertFalse(try XCTUnwrap(attributes.accessGroup).isEmpty)
        XCTAssertNotNil(attributes.persistentRef)
        XCTAssertGreaterThan(try XCTUnwrap(attributes.creationDate), before)
        XCTAssertGreaterThan(try XCTUnwrap(attributes.modificationDate), before)
        XCTAssertNil(attributes["no such attribute"])
        let absent = try keychain.get("bert") { $0 == nil }
        XCTAssertTrue(absent)
    }

    func testUpdateKeepsCreationAndMovesModification() throws {
        try keychain.set("one", key: "anna")
        let first = try XCTUnwrap(try keychain.get("anna") { $0 })
        try keychain.set("two", key: "anna")
        let second = try XCTUnwrap(try keychain.get("anna") { $0 })
        XCTAssertEqual(first.creationDate, second.creationDate)
        XCTAssertGreaterThan(try XCTUnwrap(second.modificationDate), try XCTUnwrap(first.modificationDate))
        XCTAssertEqual(first.persistentRef, second.persistentRef)
    }

    func testListings() throws {
        XCTAssertEqual(keychain.allKeys(), [])
        for name in ["carl", "Anna", "bert"] { try keychain.set("of \(name)", key: name) }
        XCTAssertEqual(keychain.allKeys(), ["Anna", "bert", "carl"])
        XCTAssertEqual(Set(keychain.allItems().compactMap(\.data)), Set(["carl", "Anna", "bert"].map { Data("of \($0)".utf8) }))
    }

    func testInternetPasswords() throws {
        let site = Keychain(server: "https://example.com:8443", protocolType: .https)
        let plain = Keychain(server: "http://example.com:8443", protocolType: .http)
        try site.removeAll()
        try plain.removeAll()
        defer {
            try? site.removeAll()
            try? plain.removeAll()
        }
        try site.set("one", key: "anna")
        try plain.set("two", key: "anna")
        XCTAssertEqual(site["anna"], "one")
        XCTAssertEqual(plain["anna"], "two")
        let attributes = try XCTUnwrap(site.allItems().first)
        XCTAssertEqual(attributes.server, "example.com")
        XCTAssertEqual(attributes.port, 8443)
        XCTAssertEqual(attributes.protocolType, .https)
        try site.remove("anna")
        XCTAssertNil(site["anna"])
        XCTAssertEqual(plain["anna"], "two")
    }

    func testSynchronizableItems() throws {
        try keychain.synchronizable(true).set("cloud", key: "anna")
        XCTAssertEqual(try keychain.get("anna") { $0?.synchronizable }, true)
        XCTAssertEqual(keychain["anna"], "cloud")
        let local: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "com.example.github-token",
        ]
        XCTAssertEqual(SecItemCopyMatching(local as CFDictionary, nil), errSecItemNotFound)
        try keychain.remove("anna")
        XCTAssertNil(keychain["anna"])
        try keychain.synchronizable(true).set("again", key: "anna")
        XCTAssertEqual(keychain["anna"], "again")
    }

    func testEveryAccessibilityButThePasscodeClass() throws {
        for accessibility in Accessibility.allCases where accessibility != .whenPasscodeSetThisDeviceOnly {
            try keychain.accessibility(accessibility).set("secret", key: "anna")
            let stored = try XCTUnwrap(try keychain.get("anna") { $0?.accessible })
            XCTAssertEqual(Accessibility(rawValue: stored), accessibility)
        }
    }

    func testUnicodeAndLongValues() throws {
        let value = String(repeating: "пароль 🗝️ 密码\n", count: 1000)
        try keychain.set(value, key: "アカウント")
        XCTAssertEqual(keychain["アカウント"], value)
        try keychain.set(Data(), key: "empty")
        XCTAssertEqual(try keychain.getData("empty"), Data())
    }
}
