import Security
import XCTest

@testable import KeychainWrappers

final class SimpleStoreTests: XCTestCase {
    private var store: SimpleStore!

    override func setUp() {
        super.setUp()
        store = SimpleStore(prefix: "test_")
        for key in ["text", "flag", "raw", "shared"] { store.delete(key) }
    }

    func testTextFlagAndData() {
        XCTAssertTrue(store.set("hello", forKey: "text"))
        XCTAssertEqual(store.get("text"), "hello")
        XCTAssertTrue(store.set(true, forKey: "flag"))
        XCTAssertEqual(store.getBool("flag"), true)
        XCTAssertTrue(store.set(false, forKey: "flag"))
        XCTAssertEqual(store.getBool("flag"), false)
        let raw = Data([0xff, 0xfe, 0x00])
        XCTAssertTrue(store.set(raw, forKey: "raw"))
        XCTAssertEqual(store.getData("raw"), raw)
        XCTAssertNil(store.get("raw"))
        XCTAssertEqual(Set(store.allKeys).intersection(["test_text", "test_flag", "test_raw"]).count, 3)
    }

    func testLastStatus() {
        XCTAssertNil(store.get("text"))
        XCTAssertEqual(store.lastStatus, errSecItemNotFound)
        XCTAssertFalse(store.delete("text"))
        XCTAssertEqual(store.lastStatus, errSecItemNotFound)
        store.set("hello", forKey: "text")
        XCTAssertEqual(store.lastStatus, noErr)
    }

    func testReferences() throws {
        store.set("hello", forKey: "text")
        let reference = try XCTUnwrap(store.getData("text", asReference: true))
        XCTAssertEqual(try ConstantKeyed.secret(reference: reference), Data("hello".utf8))
    }

    func testSynchronizable() {
        store.synchronizable = true
        XCTAssertTrue(store.set("shared", forKey: "shared"))
        XCTAssertEqual(store.get("shared"), "shared")
        store.synchronizable = false
        XCTAssertNil(store.get("shared"))
        store.synchronizable = true
        XCTAssertTrue(store.delete("shared"))
    }

    func testOpenForSubclasses() {
        final class Counting: SimpleStore {
            var reads = 0
            override func getData(_ key: String, asReference: Bool = false) -> Data? {
                reads += 1
                return super.getData(key, asReference: asReference)
            }
        }
        let counting = Counting(prefix: "test_")
        counting.set("hello", forKey: "text")
        XCTAssertEqual(counting.get("text"), "hello")
        XCTAssertEqual(counting.reads, 1)
    }
}
