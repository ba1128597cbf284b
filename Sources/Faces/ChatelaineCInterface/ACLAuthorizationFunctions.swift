import ChatelaineModel
import Security

/// `SecACLCopyAuthorizations` of `Security/SecACL.h`.
@_cdecl("SecACLCopyAuthorizations")
public func aclCopyAuthorizations(_ object: UnsafeRawPointer?) -> UnsafeRawPointer? {
    var list: UnsafeRawPointer?
    _ = CallStatus.of("SecACLCopyAuthorizations") { () throws(KeychainError) in
        let rights = ACLCalls.authorizations(of: try ForeignObject.content(object, .acl))
        list = try ForeignResult.make(.array(rights.map { .text($0.constant) }))
    }
    return list
}

/// `SecACLUpdateAuthorizations` of `Security/SecACL.h`.
@_cdecl("SecACLUpdateAuthorizations")
public func aclUpdateAuthorizations(_ object: UnsafeRawPointer?, _ authorizations: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecACLUpdateAuthorizations") { () throws(KeychainError) in
        try ACLCalls.update(
            try ForeignObject.content(object, .acl), ForeignValue.meaning(of: authorizations))
    }
}

/// `SecACLGetAuthorizations` of `Security/SecACL.h`.
@_cdecl("SecACLGetAuthorizations")
public func aclGetAuthorizations(
    _ object: UnsafeRawPointer?, _ tags: UnsafeMutablePointer<Int32>?, _ count: UnsafeMutablePointer<UInt32>?
) -> OSStatus {
    CallStatus.of("SecACLGetAuthorizations") { () throws(KeychainError) in
        try ACLCalls.copy(try ForeignObject.content(object, .acl), to: tags, try ForeignObject.required(count))
    }
}

/// `SecACLSetAuthorizations` of `Security/SecACL.h`.
@_cdecl("SecACLSetAuthorizations")
public func aclSetAuthorizations(
    _ object: UnsafeRawPointer?, _ tags: UnsafePointer<Int32>?, _ count: UInt32
) -> OSStatus {
    CallStatus.of("SecACLSetAuthorizations") { () throws(KeychainError) in
        try ACLCalls.update(try ForeignObject.content(object, .acl), tags, count)
    }
}
