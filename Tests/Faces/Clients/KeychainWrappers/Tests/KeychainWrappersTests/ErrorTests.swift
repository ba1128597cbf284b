import Security
import XCTest

@testable import KeychainWrappers

final class ErrorTests: XCTestCase {
    func testStatusesBecomeErrors() {
        XCTAssertEqual(KeychainError(status: errSecDuplicateItem), .duplicateItem)
        XCTAssertEqual(KeychainError(status: errSecIO), .unhandled(status: errSecIO))
        XCTAssertEqual(Status(status: errSecParam), .param)
        XCTAssertEqual(Status(status: -1), .unexpectedError)
        XCTAssertEqual((Status.param as NSError).code, -50)
        XCTAssertNil(errSecSuccess.keychainError)
        XCTAssertEqual(errSecItemNotFound.keychainError?.domain, NSOSStatusErrorDomain)
        XCTAssertFalse(errSecItemNotFound.keychainMessage.isEmpty)
        XCTAssertFalse(KeychainError.itemNotFound.localizedDescription.isEmpty)
    }

    func testUnmanagedErrors() {
        XCTAssertNil(takeError(nil))
        let error = NSError(domain: NSOSStatusErrorDomain, code: Int(errSecAuthFailed)) as CFError
        XCTAssertEqual(takeError(Unmanaged.passRetained(error)) as? KeychainError, .authFailed)
    }

    func testInvalidQueries() {
        XCTAssertEqual(SecItemAdd([:] as CFDictionary, nil), errSecParam)
        XCTAssertEqual(SecItemCopyMatching([kSecAttrAccount: "anna"] as CFDictionary, nil), errSecParam)
        XCTAssertEqual(SecItemCopyMatching([kSecClass: "nonsense"] as CFDictionary, nil), errSecNoSuchClass)
        let foreign = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccessGroup: "ABCDE12345.org.example.foreign",
        ] as CFDictionary
        XCTAssertEqual(SecItemCopyMatching(foreign, nil), errSecMissingEntitlement)
    }

    func testDuplicates() {
        let item = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "duplicates", kSecAttrAccount: "anna",
            kSecValueData: Data("one".utf8),
        ] as [CFString: Any]
        SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "duplicates"] as CFDictionary)
        XCTAssertEqual(SecItemAdd(item as CFDictionary, nil), errSecSuccess)
        XCTAssertEqual(SecItemAdd(item as CFDictionary, nil), errSecDuplicateItem)
        XCTAssertEqual(SecItemDelete(item.filter { $0.key != kSecValueData } as CFDictionary), errSecSuccess)
    }
}
