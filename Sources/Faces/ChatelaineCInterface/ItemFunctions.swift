import ChatelaineModel
import Security

/// `SecItemAdd` of `Security/SecItem.h`.
@_cdecl("SecItemAdd")
public func itemAdd(
    _ attributes: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    result?.pointee = nil
    return CallStatus.of("SecItemAdd") { () throws(KeychainError) in
        let tree = try ItemCalls.add(try ForeignDictionary.pairs(of: attributes))
        try ForeignResult.put(tree, at: result)
    }
}

/// `SecItemCopyMatching` of `Security/SecItem.h`.
@_cdecl("SecItemCopyMatching")
public func itemCopyMatching(
    _ query: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecItemCopyMatching") { () throws(KeychainError) in
        let tree = try ItemCalls.find(try ForeignDictionary.pairs(of: query), hasPlace: result != nil)
        try ForeignResult.put(tree, at: result)
    }
}

/// `SecItemUpdate` of `Security/SecItem.h`.
@_cdecl("SecItemUpdate")
public func itemUpdate(_ query: UnsafeRawPointer?, _ attributesToUpdate: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecItemUpdate") { () throws(KeychainError) in
        try ItemCalls.update(
            try ForeignDictionary.pairs(of: query), try ForeignDictionary.pairs(of: attributesToUpdate))
    }
}

/// `SecItemDelete` of `Security/SecItem.h`.
@_cdecl("SecItemDelete")
public func itemDelete(_ query: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecItemDelete") { () throws(KeychainError) in
        try ItemCalls.delete(try ForeignDictionary.pairs(of: query))
    }
}
