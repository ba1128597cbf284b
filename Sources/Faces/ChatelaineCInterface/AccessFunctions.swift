import ChatelaineIPC
import ChatelaineModel
import Security

/// `SecAccessGetTypeID` of `Security/SecAccess.h`.
@_cdecl("SecAccessGetTypeID")
public func accessGetTypeID() -> UInt { BoxType.access.identifier }

/// `SecAccessCreate` of `Security/SecAccess.h`.
@_cdecl("SecAccessCreate")
public func accessCreate(
    _ descriptor: UnsafeRawPointer?, _ trusted: UnsafeRawPointer?, _ access: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecAccessCreate") { () throws(KeychainError) in
        let place = try ForeignObject.required(access)
        let applications = try ForeignObject.applications(trusted)
        let made = try AccessCalls.create(ForeignValue.meaning(of: descriptor), trusted: applications)
        place.pointee = try ForeignObject.make(made, .access)
    }
}

/// `SecAccessCreateFromOwnerAndACL` of `Security/SecAccess.h`.
@_cdecl("SecAccessCreateFromOwnerAndACL")
public func accessCreateFromOwnerAndACL(
    _ owner: UnsafeRawPointer?, _ count: UInt32, _ entries: UnsafeRawPointer?,
    _ access: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecAccessCreateFromOwnerAndACL") { () throws(KeychainError) in
        let place = try ForeignObject.required(access)
        // The header's structures have the same layout as Swift's (CSSMTests.layoutIsThatOfC).
        let made = try AccessCalls.create(
            owner?.assumingMemoryBound(to: CSSM_ACL_OWNER_PROTOTYPE.self), count,
            entries?.assumingMemoryBound(to: CSSM_ACL_ENTRY_INFO.self))
        place.pointee = try ForeignObject.make(made, .access)
    }
}

/// `SecAccessCreateWithOwnerAndACL` of `Security/SecAccess.h`.
@_cdecl("SecAccessCreateWithOwnerAndACL")
public func accessCreateWithOwnerAndACL(
    _ user: UInt32, _ group: UInt32, _ type: UInt32, _ list: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    do throws(KeychainError) {
        let acls: [SecACL]?
        do throws(KeychainError) {
            acls = try ForeignObject.contents(list, .acl, limit: ACLLimits.entries, tooMany: AccessCalls.tooMany)
        } catch {
            // Anything else may be a list of constants.
            guard error.status != AccessCalls.tooMany.status else { throw error }
            acls = nil
        }
        let given: AccessCalls.OwnerRights =
            if let acls, !acls.isEmpty {
                .entries(acls)
            } else {
                .constants(list == nil ? .array([]) : ForeignValue.meaning(of: list))
            }
        return try ForeignObject.make(try AccessCalls.create(user: user, group: group, type, given), .access)
    } catch let failure {
        FailureReport.write("SecAccessCreateWithOwnerAndACL", failure)
        error?.pointee = ForeignResult.error(failure)
        return nil
    }
}

/// `SecAccessCopyOwnerAndACL` of `Security/SecAccess.h`.
@_cdecl("SecAccessCopyOwnerAndACL")
public func accessCopyOwnerAndACL(
    _ object: UnsafeRawPointer?, _ user: UnsafeMutablePointer<UInt32>?, _ group: UnsafeMutablePointer<UInt32>?,
    _ type: UnsafeMutablePointer<UInt32>?, _ list: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecAccessCopyOwnerAndACL") { () throws(KeychainError) in
        let access: SecAccess = try ForeignObject.content(object, .access)
        if let list { list.pointee = try ForeignObject.make(access.aclsBesideOwner, .acl) }
        let owner = AccessCalls.owner(of: access)
        user?.pointee = owner.user
        group?.pointee = owner.group
        type?.pointee = owner.type
    }
}

/// `SecAccessCopyACLList` of `Security/SecAccess.h`.
@_cdecl("SecAccessCopyACLList")
public func accessCopyACLList(
    _ object: UnsafeRawPointer?, _ list: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecAccessCopyACLList") { () throws(KeychainError) in
        let place = try ForeignObject.required(list)
        let access: SecAccess = try ForeignObject.content(object, .access)
        place.pointee = try ForeignObject.make(access.acls, .acl)
    }
}

/// `SecAccessCopyMatchingACLList` of `Security/SecAccess.h`.
@_cdecl("SecAccessCopyMatchingACLList")
public func accessCopyMatchingACLList(_ object: UnsafeRawPointer?, _ tag: UnsafeRawPointer?) -> UnsafeRawPointer? {
    var list: UnsafeRawPointer?
    _ = CallStatus.of("SecAccessCopyMatchingACLList") { () throws(KeychainError) in
        let access: SecAccess = try ForeignObject.content(object, .access)
        guard let acls = AccessCalls.acls(of: access, matching: ForeignValue.meaning(of: tag)) else { return }
        list = try ForeignObject.make(acls, .acl)
    }
    return list
}
