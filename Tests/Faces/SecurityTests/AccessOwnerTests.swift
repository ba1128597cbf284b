import ChatelaineModel
import Foundation
import Testing

@testable import Security

/// Tests of access objects that belong to the processes of a user or a group.
@Suite struct AccessOwnerTests {
    private static func made(_ type: Int, _ acls: CFArray? = nil) -> (access: SecAccess?, status: Int?) {
        var error: Unmanaged<CFError>?
        let access = SecAccessCreateWithOwnerAndACL(501, 20, SecAccessOwnerType(type), acls, &error)
        return (access, error.map { CFErrorGetCode($0.takeRetainedValue()) })
    }

    private static func owner(_ rule: ProcessOwner.Rule) throws -> ProcessOwner {
        try #require(ProcessOwner(rule, user: 501, group: 20))
    }

    @Test func withoutAListTheyMayDoEverything() throws {
        let object = try #require(Self.made(kSecUseOnlyUID | kSecHonorRoot).access).object
        let owner = try Self.owner([.user, .honorsRoot])
        #expect(object.owner == ACLEntry([.changeACL], .processes(owner)))
        #expect(object.entries == [ACLEntry([.any], .processes(owner))])
        #expect(Self.made(kSecUseOnlyUID, [] as CFArray).access?.object.entries.first?.authorizations == [.any])
    }

    @Test func rightsAreThose() throws {
        let rights = [kSecACLAuthorizationDecrypt, kSecACLAuthorizationEncrypt] as CFArray
        let object = try #require(Self.made(kSecMatchBits, rights).access).object
        #expect(object.entries == [ACLEntry([.decrypt, .encrypt], .processes(try Self.owner([.user, .group])))])
    }

    @Test func entriesAreCopied() throws {
        let from = try AccessCase.access("mail", [try AccessCase.application(1)])
        let acl = try AccessCase.acl(from, kSecACLAuthorizationDecrypt)
        let entry = try #require(from.object.entries.first { $0.authorizes(.decrypt) })
        let access = try #require(Self.made(kSecUseOnlyGID, [acl] as CFArray).access)
        #expect(access.object.entries == [entry])
        #expect(access.object.owner.subject == .processes(try Self.owner(.group)))
        #expect(SecACLRemove(acl) == errSecSuccess && access.object.entries == [entry])
        #expect(Self.made(kSecUseOnlyGID, [acl] as CFArray).status == Int(errSecParam))
    }

    @Test func whatMeansNothingIsRefused() throws {
        for type in [0, kSecHonorRoot, 1 << 16 | 1] {
            let (access, status) = Self.made(type)
            #expect(access == nil && status == Int(errSecParam))
        }
        #expect(Self.made(kSecUseOnlyUID, [1] as CFArray).status == Int(errSecParam))
        #expect(SecAccessCreateWithOwnerAndACL(0, 0, 0, nil, nil) == nil)
    }

    @Test func ownerAndEntriesAreCopiedOut() throws {
        let access = try #require(Self.made(kSecMatchBits).access)
        var (user, group, type, list) = (uid_t(0), gid_t(0), SecAccessOwnerType(0), nil as CFArray?)
        #expect(SecAccessCopyOwnerAndACL(access, &user, &group, &type, &list) == errSecSuccess)
        #expect(user == 501 && group == 20 && type == SecAccessOwnerType(kSecMatchBits))
        let acls = try #require(list as? [SecACL])
        #expect(acls.count == 1)
        #expect(AccessCase.rights(acls[0]) == [kSecACLAuthorizationAny as String])
        #expect(AccessCase.contents(acls[0]).status == errSecACLNotSimple)
        let other = try AccessCase.access("mail")
        #expect(SecAccessCopyOwnerAndACL(other, &user, &group, &type, nil) == errSecSuccess)
        #expect(user == .max && group == .max && type == 0)
    }
}
