import ChatelaineIPC
import ChatelaineModel
import Foundation

/// The type identifier of ``SecAccess`` objects.
public func SecAccessGetTypeID() -> CFTypeID { SecAccess.cfTypeID }

/// Makes an access object: what it says of an item has to be set with the item.
///
/// Its owner entry is for changing it, and always asks. Encrypting is free; reading, signing and exporting are for the trusted
/// applications, and others are asked about.
///
/// - Parameters:
///   - descriptor: what a person is told of the item.
///   - trustedlist: ``SecTrustedApplication`` objects; nil for the calling program, empty for nobody.
///   - accessRef: receives it.
/// - Returns: `errSecParam` for a list of other objects, `errSecDataTooLarge`, `errSecNotAvailable`.
@discardableResult
public func SecAccessCreate(
    _ descriptor: CFString, _ trustedlist: CFArray?, _ accessRef: UnsafeMutablePointer<SecAccess?>
) -> OSStatus {
    CallStatus.of("SecAccessCreate") { () throws(KeychainError) in
        let trusted = try trustedlist.map { (list) throws(KeychainError) in try AccessCalls.applications(list) }
        accessRef.pointee = try AccessCalls.create(.text(descriptor as String), trusted: trusted)
    }
}

/// Copies all entries of an access object, the owner's among them, in no certain order.
@discardableResult
public func SecAccessCopyACLList(_ accessRef: SecAccess, _ aclList: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    aclList.pointee = NSArray(array: accessRef.acls)
    return errSecSuccess
}

/// Copies the entries that give a right, by name or because they give all.
///
/// - Parameter authorizationTag: one of the `kSecACLAuthorization` constants.
/// - Returns: nil where there is none.
public func SecAccessCopyMatchingACLList(_ accessRef: SecAccess, _ authorizationTag: CFTypeRef) -> CFArray? {
    AccessCalls.acls(of: accessRef, matching: QueryDictionary.value(authorizationTag, isSecret: false))
        .map { NSArray(array: $0) }
}

/// Makes an access object of an owner and entries in CSSM's form.
///
/// Understood are everybody, prompts, applications in the form of ``SecTrustedApplicationCopyData(_:_:)``, the processes of a user or
/// group, and partition lists. Any other subject is kept and lets nobody in; its contents are `errSecACLNotSimple`.
///
/// - Returns: `errSecParam` for a list that cannot be read, `errSecDataTooLarge`, `errSecInvalidACL`.
@discardableResult
public func SecAccessCreateFromOwnerAndACL(
    _ owner: UnsafePointer<CSSM_ACL_OWNER_PROTOTYPE>, _ aclCount: uint32, _ acls: UnsafePointer<CSSM_ACL_ENTRY_INFO>,
    _ accessRef: UnsafeMutablePointer<SecAccess?>
) -> OSStatus {
    CallStatus.of("SecAccessCreateFromOwnerAndACL") { () throws(KeychainError) in
        accessRef.pointee = try AccessCalls.create(owner, aclCount, acls)
    }
}
