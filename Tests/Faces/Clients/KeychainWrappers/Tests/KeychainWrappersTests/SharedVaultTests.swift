import Security
import XCTest

@testable import KeychainWrappers

/// Tests for a bundle that is signed with two access groups and an app group; `Tests/install-test.sh` signs it.
final class SharedVaultTests: XCTestCase {
    private let service = "shared-vault.tests"
    private var groups: [SharedVault.Group] {
        let prefix = SharedVault.seedIdentifier() ?? ""
        return [
            .keychain(prefix: prefix, identifier: "org.example.first"),
            .keychain(prefix: prefix, identifier: "org.example.second"), .app("group.org.example.shared"),
        ]
    }

    override func tearDownWithError() throws {
        for group in groups { try SharedVault(service: service, group: group).remove("account") }
    }

    func testThePrefixIsFound() {
        XCTAssertEqual(SharedVault.seedIdentifier(), "TEAM123456")
    }

    func testTheSignatureTellsTheGroups() {
        XCTAssertEqual(
            SharedVault.declaredGroups(),
            ["TEAM123456.org.example.first", "TEAM123456.org.example.second", "group.org.example.shared"])
    }

    func testAllGroupsAreThere() {
        for group in groups { XCTAssertTrue(SharedVault(service: service, group: group).canAccess(), "\(group)") }
    }

    func testOtherGroupsAreNot() {
        for group in [
            SharedVault.Group.keychain(prefix: "TEAM123456", identifier: "org.example.third"),
            .keychain(prefix: "OTHER12345", identifier: "org.example.first"), .app("group.org.example.other"),
        ] {
            let vault = SharedVault(service: service, group: group)
            XCTAssertFalse(vault.canAccess())
            XCTAssertThrowsError(try vault.data(for: "account")) {
                XCTAssertEqual($0 as? KeychainError, .missingEntitlement)
            }
        }
    }

    func testGroupsKeepApartWhatHasOneName() throws {
        let vaults = groups.map { SharedVault(service: service, group: $0) }
        for (index, vault) in vaults.enumerated() { try vault.set(Data("\(index)".utf8), for: "account") }
        for (index, vault) in vaults.enumerated() {
            XCTAssertEqual(try vault.data(for: "account"), Data("\(index)".utf8))
        }
    }

    func testAnItemMovesBetweenGroups() throws {
        let (first, shared) = (groups[0], groups[2])
        try SharedVault(service: service, group: first).set(Data("moved".utf8), for: "account")
        try SharedVault(service: service, group: first).move("account", to: shared)
        XCTAssertEqual(try SharedVault(service: service, group: shared).data(for: "account"), Data("moved".utf8))
        XCTAssertThrowsError(try SharedVault(service: service, group: first).data(for: "account")) {
            XCTAssertEqual($0 as? KeychainError, .itemNotFound)
        }
    }
}
