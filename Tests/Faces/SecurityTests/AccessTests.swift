import ChatelaineModel
import Foundation
import Testing

@testable import Security

/// Tests of access objects through Apple's calls: the default access, subjects, and operations on entries.
@Suite struct AccessTests {
    // MARK: E.1 Default access of SecAccessCreate

    @Test func ownerIsForChangingAndAlwaysAsks() throws {
        let acl = try AccessCase.acl(try AccessCase.access("mail"), kSecACLAuthorizationChangeACL)
        #expect(AccessCase.rights(acl) == [kSecACLAuthorizationChangeACL as String])
        let contents = AccessCase.contents(acl)
        #expect(contents.applications?.isEmpty == true && contents.description == "mail" && contents.selector == [])
        #expect(acl.access.object.owner == ACLEntry([.changeACL], .applications([], ACLPrompt("mail"))))
    }

    @Test func freeIsForEncryptingByAnybody() throws {
        let acl = try AccessCase.acl(try AccessCase.access(), kSecACLAuthorizationEncrypt)
        #expect(AccessCase.rights(acl) == [kSecACLAuthorizationEncrypt as String])
        let contents = AccessCase.contents(acl)
        #expect(contents.status == errSecSuccess && contents.applications == nil)
    }

    @Test func limitedIsForTheTrustedList() throws {
        let trusted = [try AccessCase.application(1), try AccessCase.application(2)]
        let acl = try AccessCase.acl(try AccessCase.access("mail", trusted), kSecACLAuthorizationDecrypt)
        let rights = [
            kSecACLAuthorizationDecrypt, kSecACLAuthorizationSign, kSecACLAuthorizationMAC, kSecACLAuthorizationDerive,
            kSecACLAuthorizationExportClear, kSecACLAuthorizationExportWrapped,
        ]
        #expect(AccessCase.rights(acl) == Set(rights.map { $0 as String }))
        let contents = AccessCase.contents(acl)
        #expect(contents.applications == trusted && contents.description == "mail")
    }

    @Test func anEmptyTrustedListIsNobody() throws {
        let access = try AccessCase.access("mail", [])
        let contents = AccessCase.contents(try AccessCase.acl(access, kSecACLAuthorizationDecrypt))
        #expect(contents.applications?.isEmpty == true)
        #expect(access.object == .default(descriptor: "mail", trusted: []))
    }

    @Test func whatIsNoTrustedListIsRefused() throws {
        var access: SecAccess?
        #expect(SecAccessCreate("x", ["a"] as CFArray, &access) == errSecParam && access == nil)
        let one = try AccessCase.application(1)
        let many = [SecTrustedApplication](repeating: one, count: ACLLimits.applications + 1)
        #expect(SecAccessCreate("x", many as CFArray, &access) == errSecDataTooLarge)
        let long = String(repeating: "x", count: ACLLimits.descriptionBytes + 1)
        #expect(SecAccessCreate(long as CFString, [] as CFArray, &access) == errSecDataTooLarge && access == nil)
    }

    // MARK: E.2 Subjects

    /// Each subject appears as the contents of its entry.
    @Test func everyFormHasItsContents() throws {
        let application = try AccessCase.application(3)
        let prompt = ACLPrompt("mail", [.requirePassphrase, .unsignedAct])
        let list = PartitionList([.apple])
        let subjects: [(ACLSubject, applications: [SecTrustedApplication]?, description: String)] = [
            (.any, nil, ""), (.anyDescribed(prompt), nil, "mail"),
            (.applications([application.application], prompt), [application], "mail"),
            (.applications([], prompt), [], "mail"), (.partition(list), nil, list.hexadecimal),
            (.integrity([1, 0xFE]), nil, "01fe"),
        ]
        for (subject, applications, description) in subjects {
            let access = SecAccess(AccessObject(owner: ACLEntry([], subject), entries: []))
            let contents = AccessCase.contents(try #require(AccessCase.acls(access).first))
            #expect(contents.status == errSecSuccess && contents.applications == applications, "\(subject)")
            #expect(contents.description == description, "\(subject)")
        }
        let promptOnly = SecAccess(AccessObject(owner: ACLEntry([], .applications([], prompt)), entries: []))
        let selector = AccessCase.contents(try AccessCase.acls(promptOnly)[0]).selector
        #expect(selector == [.requirePassphase, .unsignedAct])
    }

    /// The simple calls leave custom subjects as they are.
    @Test func othersAreLeftUntouched() throws {
        let access = SecAccess(
            AccessObject(owner: ACLEntry([.changeACL], .any), entries: [ACLEntry([.sign], .custom([9]))]))
        let acl = try AccessCase.acl(access, kSecACLAuthorizationSign)
        #expect(AccessCase.contents(acl).status == errSecACLNotSimple)
        #expect(SecACLSetContents(acl, nil, "x", []) == errSecACLNotSimple)
        #expect(SecACLUpdateAuthorizations(acl, [kSecACLAuthorizationMAC] as CFArray) == errSecSuccess)
        #expect(access.object.entries == [ACLEntry([.mac], .custom([9]))])
    }

    // MARK: E.3 CRUD

    @Test func copyACLListHasTheOwner() throws {
        let access = try AccessCase.access()
        let acls = try AccessCase.acls(access)
        #expect(acls.count == 3 && acls.contains { AccessCase.rights($0) == [kSecACLAuthorizationChangeACL as String] })
        #expect(try AccessCase.acls(access) == acls, "they are handles of the same entries")
        let others = try AccessCase.acls(try AccessCase.access())
        #expect(Set(acls + others).count == 6)
    }

    @Test func copyMatchingACLListHasTheTagOrAny() throws {
        let access = try AccessCase.access()
        #expect(SecAccessCopyMatchingACLList(access, kSecACLAuthorizationLogin) == nil)
        #expect(SecAccessCopyMatchingACLList(access, 7 as NSNumber) == nil)
        var acl: SecACL?
        #expect(SecACLCreateWithSimpleContents(access, nil, "all", [], &acl) == errSecSuccess)
        #expect(SecAccessCopyMatchingACLList(access, kSecACLAuthorizationLogin) as? [SecACL] == [try #require(acl)])
        #expect(SecAccessCopyMatchingACLList(access, kSecACLAuthorizationDecrypt)?.count == 2)
        #expect(SecAccessCopyMatchingACLList(access, kSecACLAuthorizationChangeACL)?.count == 2)
    }

    @Test func createWithSimpleContentsGivesEveryRight() throws {
        let access = try AccessCase.access()
        var acl: SecACL?
        let applications = [try AccessCase.application(1)]
        #expect(
            SecACLCreateWithSimpleContents(access, applications as CFArray, "one", .unsigned, &acl) == errSecSuccess)
        let entry = try #require(acl)
        #expect(AccessCase.rights(entry) == [kSecACLAuthorizationAny as String])
        let contents = AccessCase.contents(entry)
        #expect(
            contents.applications == applications && contents.description == "one" && contents.selector == .unsigned)
        #expect(SecACLCreateWithSimpleContents(access, ["x"] as CFArray, "one", [], &acl) == errSecParam)
        for _ in 3..<ACLLimits.entries { SecACLCreateWithSimpleContents(access, nil, "", [], &acl) }
        #expect(SecACLCreateWithSimpleContents(access, nil, "", [], &acl) == errSecDataTooLarge)
        #expect(access.object.entries.count == ACLLimits.entries)
    }

    @Test func setContentsOfNoListLetsEverybodyIn() throws {
        let access = try AccessCase.access("mail", [try AccessCase.application(1)])
        let acl = try AccessCase.acl(access, kSecACLAuthorizationDecrypt)
        #expect(SecACLSetContents(acl, nil, "all", .invalidAct) == errSecSuccess)
        var contents = AccessCase.contents(acl)
        #expect(contents.applications == nil && contents.description == "all" && contents.selector == .invalidAct)
        #expect(SecACLSetContents(acl, [] as CFArray, "nobody", []) == errSecSuccess)
        contents = AccessCase.contents(acl)
        #expect(contents.applications?.isEmpty == true && contents.description == "nobody")
        #expect(access.object.entries[1].subject == .applications([], ACLPrompt("nobody")))
    }

    @Test func removeTakesAnEntryAway() throws {
        let access = try AccessCase.access()
        let (free, limited) = (
            try AccessCase.acl(access, kSecACLAuthorizationEncrypt),
            try AccessCase.acl(access, kSecACLAuthorizationDecrypt)
        )
        #expect(SecACLRemove(free) == errSecSuccess)
        #expect(SecACLRemove(free) == errSecParam && AccessCase.contents(free).status == errSecParam)
        #expect(AccessCase.rights(free).isEmpty && SecACLSetContents(free, nil, "x", []) == errSecParam)
        // The other entries have not changed.
        #expect(AccessCase.contents(limited).description == "mail" && access.object.entries.count == 1)
        let owner = try AccessCase.acl(access, kSecACLAuthorizationChangeACL)
        #expect(SecACLRemove(owner) == errSecInvalidOwnerEdit)
    }

    @Test func updateAuthorizationsReplacesTheSet() throws {
        let access = try AccessCase.access()
        let acl = try AccessCase.acl(access, kSecACLAuthorizationDecrypt)
        let rights = [kSecACLAuthorizationSign, kSecACLAuthorizationMAC]
        #expect(SecACLUpdateAuthorizations(acl, rights as CFArray) == errSecSuccess)
        #expect(AccessCase.rights(acl) == Set(rights.map { $0 as String }))
        #expect(SecACLUpdateAuthorizations(acl, ["nobody knows it"] as CFArray) == errSecSuccess)
        #expect(access.object.entries[1].authorizations == [.unknown])
        #expect(SecACLUpdateAuthorizations(acl, [7] as CFArray) == errSecParam)
        #expect(access.object.entries[1].authorizations == [.unknown])
        #expect(SecACLUpdateAuthorizations(acl, [] as CFArray) == errSecSuccess && AccessCase.rights(acl).isEmpty)
        let many = (0...ACLLimits.authorizations).map { "\($0)" }
        #expect(SecACLUpdateAuthorizations(acl, many as CFArray) == errSecDataTooLarge)
    }

    @Test func theObjectIsForAnyThread() async throws {
        let access = try AccessCase.access()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        var acl: SecACL?
                        SecACLCreateWithSimpleContents(access, nil, "\(number)" as CFString, [], &acl)
                        if let acl { SecACLRemove(acl) }
                    }
                }
            }
        }
        #expect(access.object == .default(descriptor: "mail", trusted: []))
    }
}
