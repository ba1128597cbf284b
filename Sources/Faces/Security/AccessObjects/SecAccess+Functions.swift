import ChatelaineIPC
import ChatelaineModel
import Foundation

/// The type identifier of ``SecAccess`` objects.
public func SecAccessGetTypeID() -> CFTypeID { SecAccess.cfTypeID }

/// Makes an access object; it takes effect when a call sets it on an item.
///
/// The owner entry gives the right to change the object, and always prompts. Encrypting is open to every program.
/// Trusted applications may read, sign and export; a person is asked about other programs.
///
/// - Parameters:
///   - descriptor: the description of the item that a prompt shows.
///   - trustedlist: ``SecTrustedApplication`` objects; nil for the calling program, empty for no program.
///   - accessRef: receives the access object.
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

/// Copies all entries of an access object, including the owner entry, in no defined order.
@discardableResult
public func SecAccessCopyACLList(_ accessRef: SecAccess, _ aclList: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    aclList.pointee = NSArray(array: accessRef.acls)
    return errSecSuccess
}

/// Copies the entries that give a right, by name or because they give every right.
///
/// - Parameter authorizationTag: one of the `kSecACLAuthorization` constants.
/// - Returns: nil where no entry gives the right.
@discardableResult
public func SecAccessCopyMatchingACLList(_ accessRef: SecAccess, _ authorizationTag: CFTypeRef) -> CFArray? {
    AccessCalls.acls(of: accessRef, matching: QueryDictionary.value(authorizationTag, isSecret: false))
        .map { NSArray(array: $0) }
}

/// Makes an access object from an owner and entries in CSSM's form.
///
/// Supported subjects are everybody, prompts, applications in the form of ``SecTrustedApplicationCopyData(_:_:)``,
/// the processes of a user or group, and partition lists. Any other subject is kept and grants nothing; reading its
/// contents fails with `errSecACLNotSimple`.
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
