import ChatelaineModel
import Security

/// `SecItemAdd` of `Security/SecItem.h`.
@_cdecl("SecItemAdd")
public func itemAdd(
    _ attributes: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    result?.pointee = nil
    return ItemCalls.status { () throws(KeychainError) in
        let tree = try ItemCalls.add(try ForeignDictionary.pairs(of: attributes))
        if let result, let tree { result.pointee = try ForeignResult.make(tree) }
    }
}

/// `SecItemCopyMatching` of `Security/SecItem.h`.
@_cdecl("SecItemCopyMatching")
public func itemCopyMatching(
    _ query: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    ItemCalls.status { () throws(KeychainError) in
        let tree = try ItemCalls.find(try ForeignDictionary.pairs(of: query), hasPlace: result != nil)
        if let result, let tree { result.pointee = try ForeignResult.make(tree) }
    }
}

/// `SecItemUpdate` of `Security/SecItem.h`.
@_cdecl("SecItemUpdate")
public func itemUpdate(_ query: UnsafeRawPointer?, _ attributesToUpdate: UnsafeRawPointer?) -> OSStatus {
    ItemCalls.status { () throws(KeychainError) in
        try ItemCalls.update(
            try ForeignDictionary.pairs(of: query), try ForeignDictionary.pairs(of: attributesToUpdate))
    }
}

/// `SecItemDelete` of `Security/SecItem.h`.
@_cdecl("SecItemDelete")
public func itemDelete(_ query: UnsafeRawPointer?) -> OSStatus {
    ItemCalls.status { () throws(KeychainError) in
        try ItemCalls.delete(try ForeignDictionary.pairs(of: query))
    }
}
