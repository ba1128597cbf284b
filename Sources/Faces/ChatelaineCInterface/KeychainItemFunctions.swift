import CChatelaineFoundation
import ChatelaineModel
import Security

/// `SecKeychainItemDelete` of `Security/SecKeychainItem.h`.
@_cdecl("SecKeychainItemDelete")
public func keychainItemDelete(_ item: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecKeychainItemDelete") { () throws(KeychainError) in
        try KeychainItemCalls.delete(try ForeignObject.item(item))
    }
}

/// `SecKeychainItemCopyKeychain` of `Security/SecKeychainItem.h`.
@_cdecl("SecKeychainItemCopyKeychain")
public func keychainItemCopyKeychain(
    _ item: UnsafeRawPointer?, _ keychain: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainItemCopyKeychain") { () throws(KeychainError) in
        let place = try ForeignObject.required(keychain)
        place.pointee = try KeychainObjects.make(
            try KeychainItemCalls.keychain(of: try ForeignObject.item(item)))
    }
}

/// `SecKeychainItemCopyAccess` of `Security/SecKeychainItem.h`.
@_cdecl("SecKeychainItemCopyAccess")
public func keychainItemCopyAccess(
    _ item: UnsafeRawPointer?, _ access: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainItemCopyAccess") { () throws(KeychainError) in
        let place = try ForeignObject.required(access)
        place.pointee = try ForeignObject.make(
            try KeychainItemCalls.access(of: try ForeignObject.item(item)), .access)
    }
}

/// `SecKeychainItemSetAccess` of `Security/SecKeychainItem.h`.
@_cdecl("SecKeychainItemSetAccess")
public func keychainItemSetAccess(_ item: UnsafeRawPointer?, _ access: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecKeychainItemSetAccess") { () throws(KeychainError) in
        try KeychainItemCalls.setAccess(
            try ForeignObject.content(access, .access), of: try ForeignObject.item(item))
    }
}

/// `SecKeychainItemCreatePersistentReference` of `Security/SecKeychainItem.h`.
@_cdecl("SecKeychainItemCreatePersistentReference")
public func keychainItemCreatePersistentReference(
    _ item: UnsafeRawPointer?, _ reference: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainItemCreatePersistentReference") { () throws(KeychainError) in
        let place = try ForeignObject.required(reference)
        let item = try ForeignObject.item(item)
        place.pointee = try ForeignResult.make(.data(item.persistentBytes))
    }
}

/// `SecKeychainItemCopyFromPersistentReference` of `Security/SecKeychainItem.h`.
@_cdecl("SecKeychainItemCopyFromPersistentReference")
public func keychainItemCopyFromPersistentReference(
    _ reference: UnsafeRawPointer?, _ item: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainItemCopyFromPersistentReference") { () throws(KeychainError) in
        let place = try ForeignObject.required(item)
        guard case .data(let bytes) = ForeignValue.meaning(of: reference) else {
            throw KeychainError(.param, "the reference to an item is no CFData")
        }
        place.pointee = try ForeignObject.make(try KeychainItemCalls.item(at: bytes), .keychainItem)
    }
}

/// `SecKeychainItemCreateCopy` of `Security/SecKeychainItem.h`.
@_cdecl("SecKeychainItemCreateCopy")
public func keychainItemCreateCopy(
    _ item: UnsafeRawPointer?, _ keychain: UnsafeRawPointer?, _ access: UnsafeRawPointer?,
    _ copy: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainItemCreateCopy") { () throws(KeychainError) in
        let place = try ForeignObject.required(copy)
        let made = try KeychainItemCalls.copy(
            try ForeignObject.item(item), to: try KeychainObjects.content(keychain),
            try initialAccess(access))
        place.pointee = try ForeignObject.make(made, .keychainItem)
    }
}

/// `SecKeychainItemCreateFromContent` of `Security/SecKeychainItem.h`.
@_cdecl("SecKeychainItemCreateFromContent")
public func keychainItemCreateFromContent(
    _ itemClass: UInt32, _ list: UnsafeRawPointer?, _ length: UInt32, _ data: UnsafeRawPointer?,
    _ keychain: UnsafeRawPointer?, _ access: UnsafeRawPointer?, _ item: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainItemCreateFromContent") { () throws(KeychainError) in
        guard let list = list?.assumingMemoryBound(to: SecKeychainAttributeList.self) else {
            throw KeychainError(.param, "the pointer to the attributes of a new item is null")
        }
        let made = try ItemContentCalls.create(
            itemClass, list, length, data, in: try KeychainObjects.content(keychain), try initialAccess(access))
        item?.pointee = try ForeignObject.make(made, .keychainItem)
    }
}

/// The caller's access object for a new item; nil for a null pointer.
private func initialAccess(_ object: UnsafeRawPointer?) throws(KeychainError) -> SecAccess? {
    guard let object else { return nil }
    return try ForeignObject.content(object, .access) as SecAccess
}

// MARK: Searches

/// `SecKeychainSearchGetTypeID` of `Security/SecKeychainSearch.h`.
@_cdecl("SecKeychainSearchGetTypeID")
public func keychainSearchGetTypeID() -> UInt { BoxType.keychainSearch.identifier }

/// `SecKeychainSearchCreateFromAttributes` of `Security/SecKeychainSearch.h`.
@_cdecl("SecKeychainSearchCreateFromAttributes")
public func keychainSearchCreateFromAttributes(
    _ keychains: UnsafeRawPointer?, _ itemClass: UInt32, _ list: UnsafeRawPointer?,
    _ search: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainSearchCreateFromAttributes") { () throws(KeychainError) in
        let place = try ForeignObject.required(search)
        let made = try SecKeychainSearch(
            itemClass, list?.assumingMemoryBound(to: SecKeychainAttributeList.self),
            in: try KeychainObjects.named(keychains))
        place.pointee = try ForeignObject.make(made, .keychainSearch)
    }
}

/// `SecKeychainSearchCopyNext` of `Security/SecKeychainSearch.h`.
@_cdecl("SecKeychainSearchCopyNext")
public func keychainSearchCopyNext(
    _ search: UnsafeRawPointer?, _ item: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainSearchCopyNext") { () throws(KeychainError) in
        let place = try ForeignObject.required(item)
        let search: SecKeychainSearch = try ForeignObject.content(search, .keychainSearch)
        place.pointee = try ForeignObject.make(try search.next(), .keychainItem)
    }
}
