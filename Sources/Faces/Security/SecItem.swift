import ChatelaineModel

/// Adds an item to the keychain.
///
/// The item is on disk when the call returns success. The call checks the dictionary, its values and the caller's
/// rights as Apple documents; on any failure it adds nothing.
///
/// - Parameters:
///   - attributes: class and attributes of the item, its secret under `kSecValueData`, and what to return. A
///     dictionary from an earlier result may be added again. Its dates then become the time of the addition, and its
///     `kSecValuePersistentRef` is ignored.
///   - result: receives what the `kSecReturn…` keys request; nil where they request nothing.
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

/// Finds items and returns what the `kSecReturn…` keys of the query request.
///
/// References from earlier results narrow a search. `kSecValueRef` takes one reference; `kSecMatchItemList` and
/// `kSecUseItemList` take arrays of at most 16 384 references or persistent references. The search skips items of a
/// list that no longer exist.
///
/// - Parameters:
///   - query: class and attributes that an item must have, `kSecMatchLimit`, and what to return. The limit is one by
///     default; 0 finds nothing, and a negative number is no limit.
///   - result: receives one object, or an array where the limit is above one. It receives nil where the query
///     requests nothing, or requests the data of an item that has none. It is unchanged when nothing is found. With
///     nil for `result`, the call only says whether there is an item.
/// - Returns: `errSecItemNotFound`, `errSecParam`, `errSecNoSuchAttr`, `errSecNoSuchClass`,
///   `errSecMissingEntitlement`, `errSecInteractionNotAllowed` and others.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    CallStatus.of("SecItemCopyMatching") { () throws(KeychainError) in
        let tree = try ItemCalls.find(try QueryDictionary.pairs(of: query), hasPlace: result != nil)
        result?.pointee = tree.map { ResultObject.make($0) }
    }
}

/// Changes every item that the query describes: all of them, or none on failure.
///
/// - Parameters:
///   - query: as for `SecItemCopyMatching`; return keys and a limit are ignored.
///   - attributesToUpdate: new values of attributes, and of the secret under `kSecValueData`. `kSecClass` is allowed
///     if it equals the query's class; any other key is `errSecNoSuchAttr`.
/// - Returns: `errSecItemNotFound`, `errSecDuplicateItem`, `errSecParam`, `errSecNoSuchAttr` and others.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    CallStatus.of("SecItemUpdate") { () throws(KeychainError) in
        try ItemCalls.update(try QueryDictionary.pairs(of: query), try QueryDictionary.pairs(of: attributesToUpdate))
    }
}

/// Deletes every item that the query describes.
///
/// - Parameter query: as for `SecItemCopyMatching`; return keys and a limit are ignored.
/// - Returns: `errSecItemNotFound`, `errSecParam`, `errSecNoSuchAttr` and others.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    CallStatus.of("SecItemDelete") { () throws(KeychainError) in
        try ItemCalls.delete(try QueryDictionary.pairs(of: query))
    }
}
