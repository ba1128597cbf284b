import ChatelaineModel
import CoreFoundation

/// Copies attributes and data of an item.
///
/// - Parameters:
///   - attrList: names the attributes by its tags; receives their values, nil for an attribute that the item does not
///     have.
///   - outData: receives the data; with nil, no person is asked. ``SecKeychainItemFreeContent(_:_:)`` frees values
///     and data.
/// - Returns: `errSecNoSuchAttr`, `errSecInvalidItemRef` for a deleted item, `errSecAuthFailed` and others.
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

/// Wipes and frees the memory from ``SecKeychainItemCopyContent(_:_:_:_:_:)`` and from the calls that find a
/// password.
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
///   - info: the tags of the requested attributes.
///   - attrList: receives the list. ``SecKeychainItemFreeAttributesAndData(_:_:)`` frees list and data.
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

/// Wipes and frees the memory from ``SecKeychainItemCopyAttributesAndData(_:_:_:_:_:_:)``.
@discardableResult
public func SecKeychainItemFreeAttributesAndData(
    _ attrList: UnsafeMutablePointer<SecKeychainAttributeList>?, _ data: UnsafeMutableRawPointer?
) -> OSStatus {
    ItemContentCalls.free(made: attrList, data)
    return errSecSuccess
}

/// Changes attributes of an item, its data, or both.
///
/// - Parameter data: the new data; nil keeps the current data.
/// - Returns: `errSecNoSuchAttr`, `errSecParam`, `errSecDuplicateItem`, `errSecInvalidItemRef`, `errSecAuthFailed`
///   and others.
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

/// Stores a new item with these attributes and data.
///
/// - Parameters:
///   - keychainRef: nil for the default keychain.
///   - initialAccess: the item's access object; nil for one that trusts the calling program.
///   - itemRef: receives the item; may be nil.
/// - Returns: `errSecNoSuchClass` for keys and for unknown classes, `errSecNoSuchAttr`, `errSecParam`,
///   `errSecDuplicateItem` and others.
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

/// Returns the attributes of a class of items, and their formats.
///
/// `itemID` is CSSM's number for the table of the class, or a ``SecItemClass``.
///
/// - Parameters:
///   - keychain: ignored, since all keychains have the same attributes.
///   - info: receives the tags and formats; ``SecKeychainFreeAttributeInfo(_:)`` frees them.
@discardableResult
public func SecKeychainAttributeInfoForItemID(
    _ keychain: SecKeychain?, _ itemID: UInt32,
    _ info: UnsafeMutablePointer<UnsafeMutablePointer<SecKeychainAttributeInfo>?>
) -> OSStatus {
    CallStatus.of("SecKeychainAttributeInfoForItemID") { () throws(KeychainError) in
        info.pointee = try ItemContentCalls.info(of: itemID)
    }
}

/// Frees the memory from ``SecKeychainAttributeInfoForItemID(_:_:_:)``.
@discardableResult
public func SecKeychainFreeAttributeInfo(_ info: UnsafeMutablePointer<SecKeychainAttributeInfo>) -> OSStatus {
    ItemContentCalls.free(info)
    return errSecSuccess
}
