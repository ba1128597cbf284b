import ChatelaineModel
import CoreFoundation

/// Copies attributes and data of an item.
///
/// - Parameters:
///   - attrList: says by its tags which attributes; receives their values. One that the item does not have gets none.
///   - outData: receives the data; nil has nobody asked for it. ``SecKeychainItemFreeContent(_:_:)`` frees all.
/// - Returns: `errSecNoSuchAttr`, `errSecInvalidItemRef` for an item that is gone, `errSecAuthFailed` and others.
@discardableResult
public func SecKeychainItemCopyContent(
    _ itemRef: SecKeychainItem, _ itemClass: UnsafeMutablePointer<SecItemClass>?,
    _ attrList: UnsafeMutablePointer<SecKeychainAttributeList>?, _ length: UnsafeMutablePointer<UInt32>?,
    _ outData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainItemCopyContent") { () throws(KeychainError) in
        let found = try ItemContentCalls.copy(itemRef, attrList, length, outData)
        itemClass?.pointee = found
    }
}

/// Frees what ``SecKeychainItemCopyContent(_:_:_:_:_:)`` and the calls that find a password gave, and wipes it.
@discardableResult
public func SecKeychainItemFreeContent(
    _ attrList: UnsafeMutablePointer<SecKeychainAttributeList>?, _ data: UnsafeMutableRawPointer?
) -> OSStatus {
    ItemContentCalls.free(attrList, data)
    return errSecSuccess
}

/// Copies attributes and data of an item into a list that the call makes.
///
/// - Parameters:
///   - info: which attributes.
///   - attrList: receives the list. ``SecKeychainItemFreeAttributesAndData(_:_:)`` frees all.
@discardableResult
public func SecKeychainItemCopyAttributesAndData(
    _ itemRef: SecKeychainItem, _ info: UnsafeMutablePointer<SecKeychainAttributeInfo>?,
    _ itemClass: UnsafeMutablePointer<SecItemClass>?,
    _ attrList: UnsafeMutablePointer<UnsafeMutablePointer<SecKeychainAttributeList>?>?,
    _ length: UnsafeMutablePointer<UInt32>?, _ outData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainItemCopyAttributesAndData") { () throws(KeychainError) in
        let found = try ItemContentCalls.copy(itemRef, UnsafePointer(info), attrList, length, outData)
        itemClass?.pointee = found
    }
}

/// Frees what ``SecKeychainItemCopyAttributesAndData(_:_:_:_:_:_:)`` gave, and wipes it.
@discardableResult
public func SecKeychainItemFreeAttributesAndData(
    _ attrList: UnsafeMutablePointer<SecKeychainAttributeList>?, _ data: UnsafeMutableRawPointer?
) -> OSStatus {
    ItemContentCalls.free(made: attrList, data)
    return errSecSuccess
}

/// Changes attributes of an item, its data, or both.
///
/// - Parameter data: nil leaves it as it is.
/// - Returns: `errSecNoSuchAttr`, `errSecParam`, `errSecDuplicateItem`, `errSecInvalidItemRef`, `errSecAuthFailed` and others.
@discardableResult
public func SecKeychainItemModifyContent(
    _ itemRef: SecKeychainItem, _ attrList: UnsafePointer<SecKeychainAttributeList>?, _ length: UInt32,
    _ data: UnsafeRawPointer?
) -> OSStatus {
    CallStatus.of("SecKeychainItemModifyContent") { () throws(KeychainError) in
        try ItemContentCalls.modify(itemRef, attrList, length, data)
    }
}

/// The same as ``SecKeychainItemModifyContent(_:_:_:_:)``.
@discardableResult
public func SecKeychainItemModifyAttributesAndData(
    _ itemRef: SecKeychainItem, _ attrList: UnsafePointer<SecKeychainAttributeList>?, _ length: UInt32,
    _ data: UnsafeRawPointer?
) -> OSStatus {
    CallStatus.of("SecKeychainItemModifyAttributesAndData") { () throws(KeychainError) in
        try ItemContentCalls.modify(itemRef, attrList, length, data)
    }
}

/// Stores an item of these attributes and data.
///
/// - Parameters:
///   - keychainRef: nil for the default one.
///   - initialAccess: who may use it; nil for the calling program.
///   - itemRef: receives the item, where it is wanted.
/// - Returns: `errSecNoSuchClass` for what is no password, `errSecNoSuchAttr`, `errSecParam`, `errSecDuplicateItem` and others.
@discardableResult
public func SecKeychainItemCreateFromContent(
    _ itemClass: SecItemClass, _ attrList: UnsafeMutablePointer<SecKeychainAttributeList>, _ length: UInt32,
    _ data: UnsafeRawPointer?, _ keychainRef: SecKeychain?, _ initialAccess: SecAccess?,
    _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    CallStatus.of("SecKeychainItemCreateFromContent") { () throws(KeychainError) in
        let item = try ItemContentCalls.create(
            itemClass.rawValue, attrList, length, data, in: keychainRef, initialAccess)
        itemRef?.pointee = item
    }
}

/// Tells which attributes items of a class have, and in which form, by CSSM's number for their table or by ``SecItemClass``.
///
/// - Parameters:
///   - keychain: set aside, since all keychains have the same.
///   - info: receives it; ``SecKeychainFreeAttributeInfo(_:)`` frees it.
@discardableResult
public func SecKeychainAttributeInfoForItemID(
    _ keychain: SecKeychain?, _ itemID: UInt32,
    _ info: UnsafeMutablePointer<UnsafeMutablePointer<SecKeychainAttributeInfo>?>
) -> OSStatus {
    CallStatus.of("SecKeychainAttributeInfoForItemID") { () throws(KeychainError) in
        info.pointee = try ItemContentCalls.info(of: itemID)
    }
}

/// Frees what ``SecKeychainAttributeInfoForItemID(_:_:_:)`` gave.
@discardableResult
public func SecKeychainFreeAttributeInfo(_ info: UnsafeMutablePointer<SecKeychainAttributeInfo>) -> OSStatus {
    ItemContentCalls.free(info)
    return errSecSuccess
}
