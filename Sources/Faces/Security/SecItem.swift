import ChatelaineModel

/// Adds an item to the keychain.
///
/// The item is on disk when the call returns success. A dictionary, its values and the caller's rights are judged as
/// Apple documents it; whatever is wrong, nothing is added.
///
/// - Parameters:
///   - attributes: class and attributes of the item, its secret under `kSecValueData`, and what to return. A dictionary
///     that a call returned may be added again: its dates become the time of the addition, and a
///     `kSecValuePersistentRef` in it is set aside.
///   - result: receives what the `kSecReturn…` keys ask for, nil where they ask for nothing.
/// - Returns: `errSecDuplicateItem` when an item with the same unique attributes exists, `errSecParam`,
///   `errSecNoSuchAttr`, `errSecNoSuchClass`, `errSecMissingEntitlement`, `errSecDataTooLarge` and others.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    result?.pointee = nil
    return CallStatus.of("SecItemAdd") { () throws(KeychainError) in
        let tree = try ItemCalls.add(try QueryDictionary.pairs(of: attributes))
        result?.pointee = tree.map { ResultObject.make($0) }
    }
}

/// Finds items and returns what the `kSecReturn…` keys of the query ask for.
///
/// References that a call returned narrow a search: one under `kSecValueRef`, arrays of them or of persistent references
/// under `kSecMatchItemList` and `kSecUseItemList`, of at most 16 384. Items of a list that are gone are passed over.
///
/// - Parameters:
///   - query: class and attributes that an item must have, `kSecMatchLimit` (one unless said, 0 finds nothing, a negative
///     number is no limit), and what to return.
///   - result: receives one object, or an array where the limit is above one; nil where nothing is asked for, or the
///     data of an item without any; left as it is when nothing is found. Without a place for it the call says whether
///     there is an item.
/// - Returns: `errSecItemNotFound`, `errSecParam`, `errSecNoSuchAttr`, `errSecNoSuchClass`, `errSecMissingEntitlement`, `errSecInteractionNotAllowed` and others.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    CallStatus.of("SecItemCopyMatching") { () throws(KeychainError) in
        let tree = try ItemCalls.find(try QueryDictionary.pairs(of: query), hasPlace: result != nil)
        result?.pointee = tree.map { ResultObject.make($0) }
    }
}

/// Changes every item that the query describes, all of them or none.
///
/// - Parameters:
///   - query: as for `SecItemCopyMatching`; return keys and a limit are set aside.
///   - attributesToUpdate: new values of attributes, and of the secret under `kSecValueData`. `kSecClass` may be there if
///     it is the query's; any other key is `errSecNoSuchAttr`.
/// - Returns: `errSecItemNotFound`, `errSecDuplicateItem`, `errSecParam`, `errSecNoSuchAttr` and others.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    CallStatus.of("SecItemUpdate") { () throws(KeychainError) in
        try ItemCalls.update(try QueryDictionary.pairs(of: query), try QueryDictionary.pairs(of: attributesToUpdate))
    }
}

/// Deletes every item that the query describes.
///
/// - Parameter query: as for `SecItemCopyMatching`; return keys and a limit are set aside.
/// - Returns: `errSecItemNotFound`, `errSecParam`, `errSecNoSuchAttr` and others.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    CallStatus.of("SecItemDelete") { () throws(KeychainError) in
        try ItemCalls.delete(try QueryDictionary.pairs(of: query))
    }
}
