import ChatelaineModel

/// Adds an item to the keychain.
///
/// The item is on disk when the call returns success. A dictionary, its values and the caller's rights are judged as
/// Apple documents it; whatever is wrong, nothing is added.
///
/// - Parameters:
///   - attributes: class and attributes of the item, its secret under `kSecValueData`, and what to return.
///   - result: receives what the `kSecReturn…` keys ask for, nil where they ask for nothing.
/// - Returns: `errSecDuplicateItem` when an item with the same unique attributes exists, `errSecParam`,
///   `errSecNoSuchAttr`, `errSecNoSuchClass`, `errSecMissingEntitlement`, `errSecDataTooLarge` and others.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    result?.pointee = nil
    return ItemCalls.status { () throws(KeychainError) in
        let tree = try ItemCalls.add(try QueryDictionary.pairs(of: attributes))
        if let result, let tree { result.pointee = ResultObject.make(tree) }
    }
}

/// Finds items and returns what the `kSecReturn…` keys of the query ask for.
///
/// - Parameters:
///   - query: class and attributes that an item must have, `kSecMatchLimit`, and what to return.
///   - result: receives one object, or an array where the limit is above one; left as it is when nothing is found.
/// - Returns: `errSecItemNotFound`, `errSecParam` (also when something is asked for and `result` is nil),
///   `errSecNoSuchAttr`, `errSecNoSuchClass`, `errSecMissingEntitlement`, `errSecInteractionNotAllowed` and others.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    ItemCalls.status { () throws(KeychainError) in
        let tree = try ItemCalls.find(try QueryDictionary.pairs(of: query), hasPlace: result != nil)
        if let result, let tree { result.pointee = ResultObject.make(tree) }
    }
}

/// Changes every item that the query describes, all of them or none.
///
/// - Parameters:
///   - query: as for `SecItemCopyMatching`; return keys and a limit are set aside.
///   - attributesToUpdate: new values of attributes, and of the secret under `kSecValueData`.
/// - Returns: `errSecItemNotFound`, `errSecDuplicateItem`, `errSecParam`, `errSecNoSuchAttr` and others.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    ItemCalls.status { () throws(KeychainError) in
        try ItemCalls.update(try QueryDictionary.pairs(of: query), try QueryDictionary.pairs(of: attributesToUpdate))
    }
}

/// Deletes every item that the query describes.
///
/// - Parameter query: as for `SecItemCopyMatching`; return keys and a limit are set aside.
/// - Returns: `errSecItemNotFound`, `errSecParam`, `errSecNoSuchAttr` and others.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    ItemCalls.status { () throws(KeychainError) in
        try ItemCalls.delete(try QueryDictionary.pairs(of: query))
    }
}
