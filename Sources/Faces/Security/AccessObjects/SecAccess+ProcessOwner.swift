import ChatelaineIPC
import ChatelaineModel
import Foundation

/// What of a process counts for an access object that belongs to a user or a group.
public typealias SecAccessOwnerType = UInt32

/// The user has to be that one.
@inlinable public var kSecUseOnlyUID: Int { 1 }
/// The effective group has to be that one.
@inlinable public var kSecUseOnlyGID: Int { 2 }
/// Root counts as that user.
@inlinable public var kSecHonorRoot: Int { 256 }
/// User and group both have to be those.
@inlinable public var kSecMatchBits: Int { 3 }

/// Makes an access object of which the processes of a user or a group may do what they are given, whatever they run.
///
/// That is every program of the user's, as far as it is of the item's partitions: who adds an item is of those, and a person is
/// asked about others. A group that only one program runs as (setgid) keeps the rest away.
///
/// - Parameters:
///   - ownerType: what counts; ``kSecUseOnlyUID``, ``kSecUseOnlyGID``, ``kSecMatchBits``, and ``kSecHonorRoot`` besides.
///   - acls: `kSecACLAuthorization` constants, which those processes are given, all where there are none; or ``SecACL`` entries,
///     which are copied, and only changing the object is theirs then.
///   - error: where an error in the domain `kCFErrorDomainOSStatus` goes, retained, when there is one; may be nil.
/// - Returns: nil with `errSecParam` for a type by which nothing counts and for a list of other objects, `errSecDataTooLarge`.
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

/// Copies whose processes an access object belongs to, and its entries but the owner's.
///
/// - Parameters:
///   - userId: receives the user; the largest number there is where the object belongs to no processes. May be nil, as the others.
///   - groupId: receives the group; the same.
///   - ownerType: receives what counts; 0 where the object belongs to no processes.
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
    /// What goes with the owner entry of an access object that belongs to processes.
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
            // As an entry of CSSM's without rights gives all.
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

    /// Whose processes an access object belongs to; nobody's numbers where it belongs to none.
    package static func owner(of access: SecAccess) -> (user: UInt32, group: UInt32, type: SecAccessOwnerType) {
        guard case .processes(let owner) = access.object.owner.subject else { return (.max, .max, 0) }
        return (owner.user, owner.group, SecAccessOwnerType(owner.rule.rawValue))
    }
}
