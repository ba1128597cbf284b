import Security
import XCTest

@testable import KeychainWrappers

final class VaultTests: XCTestCase {
    private struct Token: Codable, Equatable {
        var access: String
        var expires: Date
        var scopes: [String]
    }

    private let vault = Vault(identifier: "vault.tests")

    override func setUpWithError() throws { try vault.removeAllObjects() }
    override func tearDownWithError() throws { try vault.removeAllObjects() }

    func testStringsAndObjects() throws {
        XCTAssertFalse(vault.containsObject(forKey: "key"))
        try vault.setString("value", forKey: "key")
        XCTAssertTrue(vault.containsObject(forKey: "key"))
        XCTAssertEqual(try vault.string(forKey: "key"), "value")
        try vault.setString("other", forKey: "key")
        XCTAssertEqual(try vault.string(forKey: "key"), "other")
        try vault.removeObject(forKey: "key")
        XCTAssertThrowsError(try vault.string(forKey: "key")) {
            XCTAssertEqual($0 as? KeychainError, .itemNotFound)
        }
        XCTAssertNoThrow(try vault.removeObject(forKey: "key"))
    }

    func testGenericValues() throws {
        let token = Token(access: "abc", expires: Date(timeIntervalSinceReferenceDate: 700_000_000), scopes: ["a", "b"])
        try vault.set(token, forKey: "token")
        XCTAssertEqual(try vault.value(forKey: "token"), token)
        XCTAssertThrowsError(try vault.value(Int.self, forKey: "token"))
    }

    func testAllKeys() throws {
        XCTAssertEqual(try vault.allKeys(), [])
        for index in 0..<20 { try vault.setString("\(index)", forKey: "key \(index)") }
        XCTAssertEqual(try vault.allKeys(), Set((0..<20).map { "key \($0)" }))
        try vault.removeAllObjects()
        XCTAssertEqual(try vault.allKeys(), [])
    }

    func testAccessibilityTellsVaultsApart() throws {
        let other = Vault(identifier: "vault.tests", accessibility: .afterFirstUnlock)
        try vault.setString("value", forKey: "key")
        XCTAssertFalse(other.containsObject(forKey: "key"))
        // The accessibility is not among the attributes that make an item unique.
        XCTAssertThrowsError(try other.setString("value", forKey: "key")) {
            XCTAssertEqual($0 as? KeychainError, .duplicateItem)
        }
    }

    func testManyThreads() throws {
        let failures = Failures()
        DispatchQueue.concurrentPerform(iterations: 32) { index in
            do {
                try vault.setString("value \(index)", forKey: "key \(index)")
                if try vault.string(forKey: "key \(index)") != "value \(index)" { failures.add("key \(index)") }
            } catch {
                failures.add("\(error)")
            }
        }
        XCTAssertEqual(failures.texts, [])
        XCTAssertEqual(try vault.allKeys().count, 32)
    }
}

private final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var texts: [String] = []

    func add(_ text: String) {
        lock.lock()
        defer { lock.unlock() }
        texts.append(text)
    }
}
