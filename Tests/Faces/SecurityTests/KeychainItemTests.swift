import ChatelaineModel
import Foundation
import Testing

@testable import Security

/// Tests of references to passwords as objects.
struct KeychainItemTests {
    private func item(_ itemClass: ItemClass, _ byte: UInt8) -> SecKeychainItem {
        SecKeychainItem(
            PersistentReference(itemClass: itemClass, identifier: ItemIdentifier(Bytes16(repeating: byte))))
    }

    @Test func equalityIsThatOfTheItem() {
        let one = item(.genericPassword, 1)
        #expect(one == item(.genericPassword, 1) && one !== item(.genericPassword, 1))
        #expect(one != item(.genericPassword, 2) && one != item(.internetPassword, 1))
        #expect(CFEqual(one, item(.genericPassword, 1)) && !CFEqual(one, "genp" as NSString))
        #expect(CFHash(one) == CFHash(item(.genericPassword, 1)))
        #expect(Set([one, item(.genericPassword, 1), item(.genericPassword, 2)]).count == 2)
    }

    @Test func typeAndDescription() {
        let one = item(.internetPassword, 0xAB)
        #expect(CFGetTypeID(one) == SecKeychainItemGetTypeID())
        #expect(SecKeychainItemGetTypeID() != SecAccessControlGetTypeID() && SecKeychainItemGetTypeID() > 255)
        #expect(one.description == "<SecKeychainItem: inet \(String(repeating: "ab", count: 16))>")
    }

    /// The calls for items of file keychains do not know items of the data protection keychain.
    @Test func itemsOfTheDataProtectionKeychainAreInNoFile() {
        let one = item(.genericPassword, 1)
        var (keychain, access, copy): (SecKeychain?, SecAccess?, SecKeychainItem?)
        #expect(SecKeychainItemCopyKeychain(one, &keychain) == errSecNoSuchKeychain)
        #expect(SecKeychainItemDelete(one) == errSecInvalidItemRef)
        #expect(SecKeychainItemCopyContent(one, nil, nil, nil, nil) == errSecInvalidItemRef)
        #expect(SecKeychainItemModifyContent(one, nil, 1, "x") == errSecInvalidItemRef)
        #expect(SecKeychainItemCopyAccess(one, &access) == errSecInvalidItemRef)
        #expect(SecKeychainItemCreateCopy(one, nil, nil, &copy) == errSecInvalidItemRef)
    }
}
