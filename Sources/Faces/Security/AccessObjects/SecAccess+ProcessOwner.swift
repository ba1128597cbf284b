import ChatelaineIPC
import ChatelaineModel
import Foundation

/// The process credentials that must match the owner of an access object.
public typealias SecAccessOwnerType = UInt32

/// The process's user has to match.
@inlinable public var kSecUseOnlyUID: Int { 1 }
/// The process's effective group has to match.
@inlinable public var kSecUseOnlyGID: Int { 2 }
/// Root counts as the owner's user.
@inlinable public var kSecHonorRoot: Int { 256 }
/// User and group both have to match.
@inlinable public var kSecMatchBits: Int { 3 }

/// Makes an access object that gives rights to all processes of a user or a group, whatever program they run.
///
/// The item's partition list still applies to these programs. The program that adds an item is in its partition list;
/// a person is asked about others. A group that only one program has (setgid) excludes other programs.
///
/// - Parameters:
///   - ownerType: the credentials that must match: ``kSecUseOnlyUID``, ``kSecUseOnlyGID`` or ``kSecMatchBits``,
///     optionally with ``kSecHonorRoot``.
///   - acls: the `kSecACLAuthorization` constants that the processes get, or none for all rights. Alternatively
///     ``SecACL`` entries, which are copied; the processes then only get the right to change the object.
///   - error: receives a retained error in the domain `kCFErrorDomainOSStatus` on failure; may be nil.
/// - Returns: nil with `errSecParam` for an owner type without a credential and for a list of other objects,
///   `errSecDataTooLarge`.
@discardableResult
public func SecAccessCreateWithOwnerAndACL(
    _ userId: uid_t, _ groupId: gid_t, _ ownerType: SecAccessOwnerType, _ acls: CFArray?,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccess? {
    do throws(KeychainError) {
        let given: AccessCalls.OwnerRights =
            if let acls = acls as? [SecACL], !acls.isEmpty {
                .entries(acls)
            } else {
                .constants(acls.map { QueryDictionary.value($0, isSecret: false) } ?? .array([]))
            }
        return try AccessCalls.create(user: userId, group: groupId, ownerType, given)
    } catch let failure {
        FailureReport.write("SecAccessCreateWithOwnerAndACL", failure)
        error?.pointee = Unmanaged.passRetained(ResultObject.error(failure))
        return nil
    }
}

/// Copies the user and group that own an access object, and its entries except the owner entry.
///
/// - Parameters:
///   - userId: receives the user; the largest number where no processes own the object. May be nil, like the others.
///   - groupId: receives the group; the largest number where no processes own the object.
///   - ownerType: receives the credentials that must match; 0 where no processes own the object.
///   - aclList: receives ``SecACL`` objects.
@discardableResult
public func SecAccessCopyOwnerAndACL(
    _ accessRef: SecAccess, _ userId: UnsafeMutablePointer<uid_t>?, _ groupId: UnsafeMutablePointer<gid_t>?,
    _ ownerType: UnsafeMutablePointer<SecAccessOwnerType>?, _ aclList: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    let owner = AccessCalls.owner(of: accessRef)
    userId?.pointee = owner.user
    groupId?.pointee = owner.group
    ownerType?.pointee = owner.type
    aclList?.pointee = NSArray(array: accessRef.aclsBesideOwner)
    return errSecSuccess
}

extension AccessCalls {
    /// The entries beside the owner entry of an access object that processes own.
    package enum OwnerRights {
        case constants(QueryValue)
        case entries([SecACL])
    }

    /// `SecAccessCreateWithOwnerAndACL`.
    package static func create(
        user: UInt32, group: UInt32, _ type: SecAccessOwnerType, _ given: OwnerRights
    ) throws(KeychainError) -> SecAccess {
        guard let rule = UInt16(exactly: type).map(ProcessOwner.Rule.init),
            let owner = ProcessOwner(rule, user: user, group: group)
        else {
            throw KeychainError(
                .param, "the type of owner is none: kSecUseOnlyUID, kSecUseOnlyGID or both say what counts")
        }
        let entries: [ACLEntry]
        switch given {
        case .constants(let constants):
            let rights = try ACLCalls.rights(constants)
            // An entry without rights gives every right, as in CSSM.
            entries = [ACLEntry(rights.isEmpty ? [.any] : rights, .processes(owner))]
        case .entries(let acls):
            var copied: [ACLEntry] = []
            for acl in acls { copied.append(try acl.access.entry(acl.name)) }
            entries = copied
        }
        let object = AccessObject(owner: ACLEntry([.changeACL], .processes(owner)), entries: entries)
        try object.validate()
        return SecAccess(object)
    }

    /// The user and group that own an access object; the largest numbers and type 0 where no processes own it.
    package static func owner(of access: SecAccess) -> (user: UInt32, group: UInt32, type: SecAccessOwnerType) {
        guard case .processes(let owner) = access.object.owner.subject else { return (.max, .max, 0) }
        return (owner.user, owner.group, SecAccessOwnerType(owner.rule.rawValue))
    }
}
