import ChatelaineModel
import Foundation

/// Deletes an item of a file keychain; a person is asked where the program may not read the item.
///
/// - Returns: `errSecInvalidItemRef` for a deleted item, and for an item of the data protection keychain;
///   `errSecAuthFailed`, `errSecInvalidOwnerEdit`, `errSecUserCanceled` and others.
@discardableResult
public func SecKeychainItemDelete(_ itemRef: SecKeychainItem) -> OSStatus {
    CallStatus.of("SecKeychainItemDelete") { () throws(KeychainError) in try KeychainItemCalls.delete(itemRef) }
}

/// Copies the keychain of an item; `errSecNoSuchKeychain` for an item of the data protection keychain.
@discardableResult
public func SecKeychainItemCopyKeychain(
    _ itemRef: SecKeychainItem, _ keychainRef: UnsafeMutablePointer<SecKeychain?>
) -> OSStatus {
    CallStatus.of("SecKeychainItemCopyKeychain") { () throws(KeychainError) in
        keychainRef.pointee = try KeychainItemCalls.keychain(of: itemRef)
    }
}

/// Copies the access object of an item; the item's keychain must be unlocked.
@discardableResult
public func SecKeychainItemCopyAccess(
    _ itemRef: SecKeychainItem, _ access: UnsafeMutablePointer<SecAccess?>
) -> OSStatus {
    CallStatus.of("SecKeychainItemCopyAccess") { () throws(KeychainError) in
        access.pointee = try KeychainItemCalls.access(of: itemRef)
    }
}

/// Replaces the access object of an item.
///
/// The item's owner entry decides who may do this; usually it prompts a person. The item's partition list does not
/// change.
///
/// - Returns: `errSecAuthFailed`, `errSecUserCanceled`, `errSecInvalidACL` and others.
@discardableResult
public func SecKeychainItemSetAccess(_ itemRef: SecKeychainItem, _ access: SecAccess) -> OSStatus {
    CallStatus.of("SecKeychainItemSetAccess") { () throws(KeychainError) in
        try KeychainItemCalls.setAccess(access, of: itemRef)
    }
}

/// Returns a persistent reference, by which any program of the user finds the item again.
@discardableResult
public func SecKeychainItemCreatePersistentReference(
    _ itemRef: SecKeychainItem, _ persistentItemRef: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    persistentItemRef.pointee = Data(itemRef.persistentBytes) as NSData
    return errSecSuccess
}

/// Finds the item that a persistent reference names; `errSecItemNotFound` if there is none.
///
/// The call looks in the search list, and where the item's keychain was last open.
@discardableResult
public func SecKeychainItemCopyFromPersistentReference(
    _ persistentItemRef: CFData, _ itemRef: UnsafeMutablePointer<SecKeychainItem?>
) -> OSStatus {
    CallStatus.of("SecKeychainItemCopyFromPersistentReference") { () throws(KeychainError) in
        itemRef.pointee = try KeychainItemCalls.item(at: [UInt8](persistentItemRef as Data))
    }
}

/// Stores a copy of an item; the program must be allowed to read the item.
///
/// - Parameters:
///   - destKeychainRef: nil for the default keychain.
///   - initialAccess: nil for the item's own access object.
/// - Returns: `errSecDuplicateItem` where the keychain already holds the item, and others.
@discardableResult
public func SecKeychainItemCreateCopy(
    _ itemRef: SecKeychainItem, _ destKeychainRef: SecKeychain?, _ initialAccess: SecAccess?,
    _ itemCopy: UnsafeMutablePointer<SecKeychainItem?>
) -> OSStatus {
    CallStatus.of("SecKeychainItemCreateCopy") { () throws(KeychainError) in
        itemCopy.pointee = try KeychainItemCalls.copy(itemRef, to: destKeychainRef, initialAccess)
    }
}
