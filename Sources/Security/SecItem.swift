import ChatelaineIPC
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
    return status { () throws(KeychainError) in
        let item = try QueryParser.query(try QueryDictionary.pairs(of: attributes), for: .add)
        let added = try KeychainClient.shared.add(item)
        var single = item
        single.limit = .one
        if let result, let tree = ResultTree.shape([added], for: single) { result.pointee = ResultObject.make(tree) }
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
    status { () throws(KeychainError) in
        let query = try QueryParser.query(try QueryDictionary.pairs(of: query), for: .find)
        guard result != nil || query.returns.isEmpty else {
            throw KeychainError(.param, "the query asks for a result, and the result pointer is nil")
        }
        let items = try KeychainClient.shared.find(query)
        if let result, let tree = ResultTree.shape(items, for: query) { result.pointee = ResultObject.make(tree) }
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
    status { () throws(KeychainError) in
        let query = try QueryParser.query(try QueryDictionary.pairs(of: query), for: .update)
        let change = try QueryParser.change(try QueryDictionary.pairs(of: attributesToUpdate), of: query.itemClass)
        try KeychainClient.shared.update(query, change)
    }
}

/// Deletes every item that the query describes.
///
/// - Parameter query: as for `SecItemCopyMatching`; return keys and a limit are set aside.
/// - Returns: `errSecItemNotFound`, `errSecParam`, `errSecNoSuchAttr` and others.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    status { () throws(KeychainError) in
        try KeychainClient.shared.delete(try QueryParser.query(try QueryDictionary.pairs(of: query), for: .delete))
    }
}

private func status(of call: () throws(KeychainError) -> Void) -> OSStatus {
    do {
        try call()
        return errSecSuccess
    } catch {
        return error.status.rawValue
    }
}
