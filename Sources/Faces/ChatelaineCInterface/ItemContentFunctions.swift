import ChatelaineModel
import Security

// The headers' structures have the same layout as Swift's (SecKeychainAttributeTests.layoutIsThatOfC).

/// `SecKeychainItemCopyContent` of `Security/SecKeychainItem.h`.
@_cdecl("SecKeychainItemCopyContent")
public func keychainItemCopyContent(
    _ item: UnsafeRawPointer?, _ itemClass: UnsafeMutablePointer<UInt32>?, _ list: UnsafeMutableRawPointer?,
    _ length: UnsafeMutablePointer<UInt32>?, _ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainItemCopyContent") { () throws(KeychainError) in
        let found = try ItemContentCalls.copy(
            try ForeignObject.item(item),
            list?.assumingMemoryBound(to: SecKeychainAttributeList.self), length, data)
        itemClass?.pointee = found.rawValue
    }
}

/// `SecKeychainItemFreeContent` of `Security/SecKeychainItem.h`.
@_cdecl("SecKeychainItemFreeContent")
public func keychainItemFreeContent(
    _ list: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?
) -> OSStatus {
    ItemContentCalls.free(list?.assumingMemoryBound(to: SecKeychainAttributeList.self), data)
    return errSecSuccess
}

/// `SecKeychainItemCopyAttributesAndData` of `Security/SecKeychainItem.h`.
@_cdecl("SecKeychainItemCopyAttributesAndData")
public func keychainItemCopyAttributesAndData(
    _ item: UnsafeRawPointer?, _ info: UnsafeRawPointer?, _ itemClass: UnsafeMutablePointer<UInt32>?,
    _ list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ length: UnsafeMutablePointer<UInt32>?,
    _ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainItemCopyAttributesAndData") { () throws(KeychainError) in
        var made: UnsafeMutablePointer<SecKeychainAttributeList>?
        let item = try ForeignObject.item(item)
        let found =
            if list == nil { try ItemContentCalls.copy(item, nil, length, data) } else {
                try ItemContentCalls.copy(
                    item, info?.assumingMemoryBound(to: SecKeychainAttributeInfo.self), &made, length, data)
            }
        list?.pointee = UnsafeMutableRawPointer(made)
        itemClass?.pointee = found.rawValue
    }
}

/// `SecKeychainItemFreeAttributesAndData` of `Security/SecKeychainItem.h`.
@_cdecl("SecKeychainItemFreeAttributesAndData")
public func keychainItemFreeAttributesAndData(
    _ list: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?
) -> OSStatus {
    ItemContentCalls.free(made: list?.assumingMemoryBound(to: SecKeychainAttributeList.self), data)
    return errSecSuccess
}

/// `SecKeychainItemModifyContent` of `Security/SecKeychainItem.h`.
@_cdecl("SecKeychainItemModifyContent")
public func keychainItemModifyContent(
    _ item: UnsafeRawPointer?, _ list: UnsafeRawPointer?, _ length: UInt32, _ data: UnsafeRawPointer?
) -> OSStatus {
    CallStatus.of("SecKeychainItemModifyContent") { () throws(KeychainError) in
        try modify(item, list, length, data)
    }
}

/// `SecKeychainItemModifyAttributesAndData` of `Security/SecKeychainItem.h`.
@_cdecl("SecKeychainItemModifyAttributesAndData")
public func keychainItemModifyAttributesAndData(
    _ item: UnsafeRawPointer?, _ list: UnsafeRawPointer?, _ length: UInt32, _ data: UnsafeRawPointer?
) -> OSStatus {
    CallStatus.of("SecKeychainItemModifyAttributesAndData") { () throws(KeychainError) in
        try modify(item, list, length, data)
    }
}

private func modify(
    _ item: UnsafeRawPointer?, _ list: UnsafeRawPointer?, _ length: UInt32, _ data: UnsafeRawPointer?
) throws(KeychainError) {
    try ItemContentCalls.modify(
        try ForeignObject.item(item),
        list?.assumingMemoryBound(to: SecKeychainAttributeList.self), length, data)
}

/// `SecKeychainAttributeInfoForItemID` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainAttributeInfoForItemID")
public func keychainAttributeInfoForItemID(
    _ keychain: UnsafeRawPointer?, _ table: UInt32, _ info: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainAttributeInfoForItemID") { () throws(KeychainError) in
        let place = try ForeignObject.required(info)
        _ = try KeychainObjects.content(keychain)
        place.pointee = UnsafeMutableRawPointer(try ItemContentCalls.info(of: table))
    }
}

/// `SecKeychainFreeAttributeInfo` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainFreeAttributeInfo")
public func keychainFreeAttributeInfo(_ info: UnsafeMutableRawPointer?) -> OSStatus {
    CallStatus.of("SecKeychainFreeAttributeInfo") { () throws(KeychainError) in
        ItemContentCalls.free(
            try ForeignObject.required(info?.assumingMemoryBound(to: SecKeychainAttributeInfo.self)))
    }
}
