import ChatelaineModel
import Foundation
import Testing

@testable import Security

/// Tests of access objects in CSSM's form, and of the calls that use it.
@Suite struct CSSMTests {
    /// Elements in memory that lives as long as the arena.
    private final class Arena {
        private var elements: [UnsafeMutablePointer<cssm_list_element>] = []
        private var bytes: [UnsafeMutablePointer<UInt8>] = []

        deinit {
            elements.forEach { $0.deallocate() }
            bytes.forEach { $0.deallocate() }
        }

        func word(_ word: Int) -> cssm_list_element {
            cssm_list_element(
                NextElement: nil, WordID: CSSM_WORDID_TYPE(word), ElementType: uint32(CSSM_LIST_ELEMENT_WORDID),
                Element: .init())
        }

        func datum(_ data: [UInt8]) -> cssm_list_element {
            let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: max(data.count, 1))
            memory.initialize(repeating: 0, count: max(data.count, 1))
            for (index, byte) in data.enumerated() { memory[index] = byte }
            bytes.append(memory)
            return cssm_list_element(
                NextElement: nil, WordID: 0, ElementType: uint32(CSSM_LIST_ELEMENT_DATUM),
                Element: .init(Word: SecAsn1Item(Length: data.count, Data: memory)))
        }

        func sublist(_ list: CSSM_LIST) -> cssm_list_element {
            cssm_list_element(
                NextElement: nil, WordID: 0, ElementType: uint32(CSSM_LIST_ELEMENT_SUBLIST),
                Element: .init(Sublist: list))
        }

        func list(_ content: [cssm_list_element]) -> CSSM_LIST {
            var next: UnsafeMutablePointer<cssm_list_element>?
            var last: UnsafeMutablePointer<cssm_list_element>?
            for element in content.reversed() {
                let memory = UnsafeMutablePointer<cssm_list_element>.allocate(capacity: 1)
                memory.initialize(to: element)
                memory.pointee.NextElement = next
                elements.append(memory)
                next = memory
                last = last ?? memory
            }
            return CSSM_LIST(ListType: uint32(CSSM_LIST_TYPE_SEXPR), Head: next, Tail: last)
        }

        func prompt(_ text: String, flags: UInt8 = 0) -> CSSM_LIST {
            list([word(CSSM_ACL_SUBJECT_TYPE_KEYCHAIN_PROMPT), datum([1, 1, flags, 0]), datum(Array(text.utf8))])
        }

        func any() -> CSSM_LIST { list([word(CSSM_ACL_SUBJECT_TYPE_ANY)]) }

        func threshold(_ subjects: [CSSM_LIST]) -> CSSM_LIST {
            list([word(CSSM_ACL_SUBJECT_TYPE_THRESHOLD), word(1), word(subjects.count)] + subjects.map(sublist))
        }
    }

    private let arena = Arena()

    private func made(
        _ owner: CSSM_LIST, _ entries: [(rights: [Int], subject: CSSM_LIST)] = []
    ) -> (status: OSStatus, access: SecAccess?) {
        var owner = CSSM_ACL_OWNER_PROTOTYPE(TypedSubject: owner, Delegate: 0)
        var tags: [CSSM_ACL_AUTHORIZATION_TAG] = entries.flatMap(\.rights).map { Int32($0) } + [0]
        var access: SecAccess?
        let status = tags.withUnsafeMutableBufferPointer { tags in
            var start = tags.baseAddress
            let infos = entries.map { entry in
                var info = CSSM_ACL_ENTRY_INFO()
                info.EntryPublicInfo.TypedSubject = entry.subject
                info.EntryPublicInfo.Authorization = .init(
                    NumberOfAuthTags: uint32(entry.rights.count), AuthTags: start)
                start = start.map { $0 + entry.rights.count }
                return info
            }
            return SecAccessCreateFromOwnerAndACL(&owner, uint32(infos.count), infos + [.init()], &access)
        }
        return (status, access)
    }

    @Test func everySubjectThatIsKnown() throws {
        let application = try AccessCase.application(4)
        let signature = arena.list([
            arena.word(CSSM_WORDID_SIGNATURE), arena.word(1), arena.datum([UInt8](repeating: 0, count: 20)),
            arena.datum(application.application.external),
        ])
        let list = PartitionList([.apple])
        let partition = arena.list([
            arena.word(CSSM_ACL_SUBJECT_TYPE_PARTITION), arena.datum(Array(list.propertyList.utf8)),
        ])
        let (status, access) = made(
            arena.prompt("owner"),
            [
                ([CSSM_ACL_AUTHORIZATION_ENCRYPT], arena.any()),
                ([], arena.threshold([arena.any(), arena.prompt("all")])),
                (
                    [CSSM_ACL_AUTHORIZATION_DECRYPT, 4711],
                    arena.threshold([signature, arena.prompt("mail", flags: 1)])
                ),
                ([CSSM_ACL_AUTHORIZATION_PARTITION_ID], partition),
            ])
        #expect(status == errSecSuccess)
        let object = try #require(access).object
        #expect(object.owner == ACLEntry([.changeACL], .applications([], ACLPrompt("owner"))))
        #expect(
            object.entries == [
                ACLEntry([.encrypt], .any), ACLEntry([.any], .anyDescribed(ACLPrompt("all"))),
                ACLEntry(
                    [.decrypt, ACLAuthorization(rawValue: 4711)],
                    .applications([application.application], ACLPrompt("mail", .requirePassphrase))),
                ACLEntry([.partitionID], .partition(list)),
            ])
    }

    @Test func processesAreOfAUserOrAGroup() throws {
        var selector = CSSM_ACL_PROCESS_SUBJECT_SELECTOR(
            version: uint16(CSSM_ACL_PROCESS_SELECTOR_CURRENT_VERSION),
            mask: uint16(CSSM_ACL_MATCH_UID | CSSM_ACL_MATCH_HONOR_ROOT), uid: 501, gid: 20)
        func subject() -> CSSM_LIST {
            let data = withUnsafeBytes(of: &selector) { Array($0) }
            return arena.list([arena.word(CSSM_ACL_SUBJECT_TYPE_PROCESS), arena.datum(data)])
        }
        let object = try #require(made(subject(), [([CSSM_ACL_AUTHORIZATION_DECRYPT], subject())]).access).object
        let owner = try #require(ProcessOwner([.user, .honorsRoot], user: 501, group: 20))
        #expect(object.owner == ACLEntry([.changeACL], .processes(owner)))
        #expect(object.entries == [ACLEntry([.decrypt], .processes(owner))])
        // Another version, and a rule that would let everybody in, are unknown forms.
        for (version, mask) in [(0x102, CSSM_ACL_MATCH_UID), (0x101, 0)] {
            (selector.version, selector.mask) = (uint16(version), uint16(mask))
            let other = try #require(made(arena.any(), [([CSSM_ACL_AUTHORIZATION_DECRYPT], subject())]).access).object
            guard case .custom = other.entries[0].subject else {
                Issue.record("\(other.entries[0])")
                continue
            }
        }
    }

    /// Unknown subjects let no program in, and are kept unchanged.
    @Test func anyOtherSubjectIsKept() throws {
        let applesCode = arena.list([
            arena.word(CSSM_WORDID_SIGNATURE), arena.word(1), arena.datum([1]), arena.datum(Array("/bin/ls".utf8)),
        ])
        let subjects = [
            arena.list([arena.word(CSSM_ACL_SUBJECT_TYPE_PROCESS), arena.datum([0, 0, 0, 0])]), arena.list([]),
            arena.threshold([applesCode, arena.prompt("x")]), arena.threshold([]), arena.list([arena.datum([1])]),
            arena.list([arena.word(CSSM_ACL_SUBJECT_TYPE_ANY), arena.word(2)]),
        ]
        var contents: Set<ACLSubject> = []
        for subject in subjects {
            let object = try #require(made(arena.any(), [([CSSM_ACL_AUTHORIZATION_SIGN], subject)]).access).object
            guard case .custom = object.entries[0].subject else {
                Issue.record("\(object.entries[0])")
                continue
            }
            contents.insert(object.entries[0].subject)
        }
        #expect(contents.count == subjects.count)
    }

    @Test func whatCannotBeReadIsRefused() throws {
        var noData = arena.datum([])
        noData.Element.Word = SecAsn1Item(Length: 3, Data: nil)
        var odd = arena.word(0)
        odd.ElementType = 7
        let endless = arena.list([arena.word(0)])
        endless.Head.pointee.NextElement = endless.Head
        var nested = arena.any()
        for _ in 0..<20 { nested = arena.list([arena.sublist(nested)]) }
        let partition = arena.list([arena.word(CSSM_ACL_SUBJECT_TYPE_PARTITION), arena.datum([1, 2])])
        #expect(made(arena.list([noData])).status == errSecParam)
        #expect(made(arena.list([odd])).status == errSecParam)
        #expect(made(endless).status == errSecDataTooLarge)
        #expect(made(nested).status == errSecDataTooLarge)
        #expect(made(arena.list([arena.datum([UInt8](repeating: 0, count: 17_000))])).status == errSecDataTooLarge)
        #expect(made(arena.any(), [([CSSM_ACL_AUTHORIZATION_PARTITION_ID], partition)]).status == errSecInvalidACL)
        #expect(made(arena.any(), [([Int](1...65), arena.any())]).status == errSecDataTooLarge)
        let many = [(rights: [Int], subject: CSSM_LIST)](repeating: ([1], arena.any()), count: 129)
        #expect(made(arena.any(), many).status == errSecDataTooLarge)
    }

    @Test func simpleContentsAreTheSame() throws {
        let access = try AccessCase.access()
        var selector = CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR(
            version: 0x101, flags: uint16(CSSM_ACL_KEYCHAIN_PROMPT_UNSIGNED))
        var acl: SecACL?
        #expect(SecACLCreateFromSimpleContents(access, [] as CFArray, "ask", &selector, &acl) == errSecSuccess)
        let entry = try #require(acl)
        #expect(AccessCase.contents(entry).selector == .unsigned)
        selector.flags = uint16(CSSM_ACL_KEYCHAIN_PROMPT_REQUIRE_PASSPHRASE)
        #expect(SecACLSetSimpleContents(entry, nil, "all", &selector) == errSecSuccess)
        var (list, description): (CFArray?, CFString?) = ([] as CFArray, nil)
        selector = .init()
        #expect(SecACLCopySimpleContents(entry, &list, &description, &selector) == errSecSuccess)
        #expect(list == nil && description == "all" && selector.version == 0x101 && selector.flags == 1)
    }

    @Test func rightsAsNumbers() throws {
        let acl = try AccessCase.acl(try AccessCase.access(), kSecACLAuthorizationDecrypt)
        var tags = [CSSM_ACL_AUTHORIZATION_TAG](repeating: 0, count: 8)
        var count = uint32(2)
        #expect(SecACLGetAuthorizations(acl, &tags, &count) == errSecParam && count == 6 && tags[0] == 0)
        #expect(SecACLGetAuthorizations(acl, &tags, &count) == errSecSuccess && count == 6)
        #expect(Set(tags[..<6]) == [24, 28, 37, 38, 59, 115] && tags[6] == 0)
        tags = [4711, 24, 24]
        #expect(SecACLSetAuthorizations(acl, &tags, 3) == errSecSuccess)
        #expect(
            (SecACLCopyAuthorizations(acl) as? [String])
                == [kSecACLAuthorizationDecrypt, kSecACLAuthorizationAny].map { $0 as String })
        #expect(SecACLSetAuthorizations(acl, &tags, 65) == errSecDataTooLarge)
    }

    /// C code passes pointers to these structures.
    @Test func layoutIsThatOfC() {
        #expect(MemoryLayout<cssm_data>.size == 16 && MemoryLayout<cssm_list>.size == 24)
        #expect(MemoryLayout<cssm_list_element>.stride == 40 && MemoryLayout<CSSM_STRING>.size == 68)
        #expect(MemoryLayout<cssm_list_element>.offset(of: \.Element) == 16)
        #expect(
            MemoryLayout<cssm_authorizationgroup>.stride == 16 && MemoryLayout<cssm_acl_validity_period>.stride == 32)
        #expect(MemoryLayout<cssm_acl_entry_prototype>.offset(of: \.EntryTag) == 80)
        #expect(MemoryLayout<cssm_acl_process_subject_selector>.size == 12)
        #expect(
            MemoryLayout<cssm_acl_entry_prototype>.stride == 152 && MemoryLayout<cssm_acl_owner_prototype>.stride == 32)
        #expect(MemoryLayout<cssm_acl_entry_info>.offset(of: \.EntryHandle) == 152)
        #expect(MemoryLayout<cssm_acl_entry_info>.stride == 160)
        #expect(MemoryLayout<cssm_acl_keychain_prompt_selector>.size == 4)
    }
}
