import ChatelaineModel
import Foundation

/// Deletes an item of a file keychain. A person is asked about one that the program may not read.
///
/// - Returns: `errSecInvalidItemRef` for one that is gone, and for one of the data protection keychain; `errSecAuthFailed`,
///   `errSecInvalidOwnerEdit`, `errSecUserCanceled` and others.
@discardableResult
public func SecKeychainItemDelete(_ itemRef: SecKeychainItem) -> OSStatus {
    CallStatus.of("SecKeychainItemDelete") { () throws(KeychainError) in try KeychainItemCalls.delete(itemRef) }
}

/// Copies the keychain of an item; `errSecNoSuchKeychain` for one that is in no file.
@discardableResult
public func SecKeychainItemCopyKeychain(
    _ itemRef: SecKeychainItem, _ keychainRef: UnsafeMutablePointer<SecKeychain?>
) -> OSStatus {
    CallStatus.of("SecKeychainItemCopyKeychain") { () throws(KeychainError) in
        keychainRef.pointee = try KeychainItemCalls.keychain(of: itemRef)
    }
}

/// Copies the access object of an item, for which its keychain has to be unlocked.
@discardableResult
public func SecKeychainItemCopyAccess(
    _ itemRef: SecKeychainItem, _ access: UnsafeMutablePointer<SecAccess?>
) -> OSStatus {
    CallStatus.of("SecKeychainItemCopyAccess") { () throws(KeychainError) in
        access.pointee = try KeychainItemCalls.access(of: itemRef)
    }
}

/// Gives an item another access object, as whom its owner entry lets in, who is usually a person. Its partition list stays.
///
/// - Returns: `errSecAuthFailed`, `errSecUserCanceled`, `errSecInvalidACL` and others.
@discardableResult
public func SecKeychainItemSetAccess(_ itemRef: SecKeychainItem, _ access: SecAccess) -> OSStatus {
    CallStatus.of("SecKeychainItemSetAccess") { () throws(KeychainError) in
        try KeychainItemCalls.setAccess(access, of: itemRef)
    }
}

/// Makes data by which any program of the user finds the item again.
@discardableResult
public func SecKeychainItemCreatePersistentReference(
    _ itemRef: SecKeychainItem, _ persistentItemRef: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    persistentItemRef.pointee = Data(itemRef.persistentBytes) as NSData
    return errSecSuccess
}

/// Finds the item that such data names, in the search list or where its keychain was last open; `errSecItemNotFound`.
@discardableResult
public func SecKeychainItemCopyFromPersistentReference(
    _ persistentItemRef: CFData, _ itemRef: UnsafeMutablePointer<SecKeychainItem?>
) -> OSStatus {
    CallStatus.of("SecKeychainItemCopyFromPersistentReference") { () throws(KeychainError) in
        itemRef.pointee = try KeychainItemCalls.item(at: [UInt8](persistentItemRef as Data))
    }
}

/// Stores what is in an item as another one, for which the program has to be one that may read it.
///
/// - Parameters:
///   - destKeychainRef: nil for the default one.
///   - initialAccess: nil for the access object of the item.
/// - Returns: `errSecDuplicateItem` where the keychain has it already, and others.
@discardableResult
public func SecKeychainItemCreateCopy(
    _ itemRef: SecKeychainItem, _ destKeychainRef: SecKeychain?, _ initialAccess: SecAccess?,
    _ itemCopy: UnsafeMutablePointer<SecKeychainItem?>
) -> OSStatus {
    CallStatus.of("SecKeychainItemCreateCopy") { () throws(KeychainError) in
        itemCopy.pointee = try KeychainItemCalls.copy(itemRef, to: destKeychainRef, initialAccess)
    }
}
