import KeychainWrappers
import XCTest

final class EncodedAccountsTests: XCTestCase {
    private let store = EncodedAccounts(service: "encoded-accounts")

    override func setUp() {
        super.setUp()
        store.removeAll()
    }

    override func tearDown() {
        store.removeAll()
        super.tearDown()
    }

    func testAddThenUpdate() {
        XCTAssertTrue(store.set(Data("first".utf8), forKey: "key"))
        XCTAssertTrue(store.set(Data("second".utf8), forKey: "key"))
        XCTAssertEqual(store.data(forKey: "key"), Data("second".utf8))
        XCTAssertEqual(store.allKeys(), ["key"])
    }

    func testArchivedNumbers() throws {
        for number in [NSNumber(value: 42), NSNumber(value: false), NSNumber(value: 5.25)] {
            try store.set(number, forKey: "number")
            XCTAssertEqual(try store.number(forKey: "number"), number)
        }
        XCTAssertNil(try store.number(forKey: "none"))
    }

    func testKeysComeBackAsTheDataTheyWere() {
        XCTAssertEqual(store.allKeys(), [])
        for key in ["one", "two", "ключ"] { XCTAssertTrue(store.set(Data(), forKey: key)) }
        XCTAssertEqual(store.allKeys(), ["one", "two", "ключ"])
        XCTAssertTrue(store.removeAll())
        XCTAssertFalse(store.removeAll())
        XCTAssertEqual(store.allKeys(), [])
    }

    func testAccessibility() {
        let all = [
            kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleAfterFirstUnlock,
            kSecAttrAccessibleWhenUnlockedThisDeviceOnly, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        for (index, accessible) in all.enumerated() {
            XCTAssertTrue(store.set(Data("x".utf8), forKey: "key \(index)", accessible: accessible))
            XCTAssertEqual(store.accessibility(ofKey: "key \(index)"), accessible)
        }
    }
}
