import Foundation
import KeychainWrappers
import XCTest

final class PointerStoreTests: XCTestCase {
    func testSecretsComeBack() {
        let store = PointerStore(service: "pointers-\(UUID().uuidString)")
        XCTAssertEqual(store.save([1, 2, 3], account: "anna"), errSecSuccess)
        XCTAssertEqual(store.save([], account: "ben"), errSecSuccess)
        XCTAssertEqual(store.save([4], account: "anna"), errSecDuplicateItem)
        XCTAssertEqual(store.load(account: "anna"), [1, 2, 3])
        XCTAssertNil(store.load(account: "carla"))
        XCTAssertEqual(store.accounts().sorted(), ["anna", "ben"])
        XCTAssertEqual(store.delete(account: "anna"), errSecSuccess)
        XCTAssertEqual(store.delete(account: "ben"), errSecSuccess)
        XCTAssertEqual(store.accounts(), [])
    }
}
