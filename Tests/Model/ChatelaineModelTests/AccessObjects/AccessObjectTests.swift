import Testing

@testable import ChatelaineModel

/// Tests of what SecAccess and SecACL make and change: the rows of E.1 to E.3 (behaviour/access-objects.md).
@Suite struct AccessObjectTests {
    private static let mail = AccessSamples.mail.known
    private static let git = AccessSamples.git.known
    private static let prompt = ACLPrompt("the item")

    // MARK: E.1 Default access

    @Test func ownerIsForChangingAndAlwaysAsks() {
        let access = AccessObject.default(descriptor: "the item", trusted: [Self.mail])
        #expect(access.owner == ACLEntry([.changeACL], .applications([], Self.prompt)))
    }

    @Test func freeIsForEncryptingByAnybody() {
        let access = AccessObject.default(descriptor: "the item", trusted: [Self.mail])
        #expect(access.entries.count == 2 && access.entries[0] == ACLEntry([.encrypt], .any))
    }

    @Test func limitedIsForTheTrustedList() {
        let rights: Set<ACLAuthorization> = [.decrypt, .sign, .mac, .derive, .exportClear, .exportWrapped]
        for trusted in [[Self.mail, Self.git], []] {
            let access = AccessObject.default(descriptor: "the item", trusted: trusted)
            #expect(access.entries[1] == ACLEntry(rights, .applications(trusted, Self.prompt)))
        }
    }

    @Test func anItemAddedWithoutAccessHasItsLabelAsDescriptor() throws {
        let long = String(repeating: "é", count: 3000)
        for (label, descriptor) in [
            ("mail.example.org", "mail.example.org"), (nil, "keychain item"), ("", "keychain item"),
            (long, String(repeating: "é", count: 2048)),
        ] {
            let access = AccessObject.default(label: label, creator: Self.mail)
            #expect(access == .default(descriptor: descriptor, trusted: [Self.mail]))
            try access.validate()
        }
        // An unidentified creator gets the same object without itself in the list, so a person is asked about it.
        #expect(AccessObject.default(label: "x", creator: nil) == .default(descriptor: "x", trusted: []))
    }

    @Test func completelyOpenAccess() {
        #expect(AccessObject.open.owner.subject == .any)
        #expect(AccessObject.open.entries == [ACLEntry([.any], .any)])
    }

    @Test func aNewItemHasOnePartition() {
        let access = AccessObject.open.partitioned(PartitionList([.apple]))
        #expect(access.entries.last == ACLEntry([.partitionID], .partition(PartitionList([.apple]))))
        let other = access.partitioned(PartitionList([.appleTool]))
        #expect(other.partitionList == PartitionList([.appleTool]) && other.entries.count == access.entries.count)
        #expect(AccessObject.open.partitionList == nil)
    }

    // MARK: E.2 Subjects, and E.3 their simple form

    struct Form: CustomTestStringConvertible {
        let testDescription: String
        let applications: [TrustedApplication]?
        let prompt: ACLPrompt
        let subject: ACLSubject

        init(_ name: String, _ applications: [TrustedApplication]?, _ prompt: ACLPrompt, _ subject: ACLSubject) {
            testDescription = name
            self.applications = applications
            self.prompt = prompt
            self.subject = subject
        }
    }

    static let forms = [
        Form("any", nil, ACLPrompt(""), .any),
        Form("any and prompt", nil, prompt, .anyDescribed(prompt)),
        Form("application list", [mail, git], prompt, .applications([mail, git], prompt)),
        Form(
            "prompt alone", [], ACLPrompt("", .requirePassphrase),
            .applications([], ACLPrompt("", .requirePassphrase))),
    ]

    @Test(arguments: forms)
    func everyFormHasItsContents(form: Form) throws {
        let contents = ACLContents(applications: form.applications, prompt: form.prompt)
        var entry = try ACLEntry([.decrypt], contents)
        #expect(entry.subject == form.subject)
        #expect(try entry.contents() == contents)
        try entry.set(ACLContents(applications: nil, prompt: ACLPrompt("")))
        #expect(entry == ACLEntry([.decrypt], .any))
    }

    @Test func partitionsAreDataInHexadecimal() throws {
        let list = PartitionList([.appleTool, .apple])
        let entry = ACLEntry([.partitionID], .partition(list))
        let contents = try entry.contents()
        #expect(contents == ACLContents(applications: nil, prompt: ACLPrompt(ExactText(list.hexadecimal))))
        // Programs write an entry for all programs, and then exchange its rights for the tag.
        var made = try ACLEntry([.any], contents)
        try made.update([.partitionID])
        #expect(made == entry)
        #expect(throws: KeychainError(.invalidACL, "")) {
            try made.set(ACLContents(applications: nil, prompt: ACLPrompt("apple:")))
        }
        #expect(throws: KeychainError(.invalidACL, "")) {
            try ACLEntry([.partitionID], ACLContents(applications: [], prompt: contents.prompt))
        }
        try made.update([.decrypt])
        #expect(made.subject == .anyDescribed(contents.prompt))
    }

    @Test func integrityIsDataInHexadecimal() throws {
        let entry = ACLEntry([.integrity], .integrity([0xAB, 1]))
        #expect(try entry.contents().prompt.description == "ab01")
        #expect(try ACLEntry([.integrity], try entry.contents()) == entry)
        #expect(throws: KeychainError(.invalidACL, "")) {
            try ACLEntry([.integrity], ACLContents(applications: nil, prompt: ACLPrompt("abc")))
        }
    }

    @Test func othersAreLeftUntouched() throws {
        var entry = ACLEntry([.decrypt], .custom([1, 2]))
        #expect(throws: KeychainError(.aclNotSimple, "")) { try entry.contents() }
        #expect(throws: KeychainError(.aclNotSimple, "")) {
            try entry.set(ACLContents(applications: nil, prompt: ACLPrompt("")))
        }
        try entry.update([.sign])
        #expect(entry == ACLEntry([.sign], .custom([1, 2])))
    }

    // MARK: E.3 Edits

    @Test func copyACLListHasTheOwner() {
        #expect(AccessObject.open.places == [.entry(0), .owner])
        #expect(AccessObject.open[.entry(1)] == nil && AccessObject.open[.entry(-1)] == nil)
    }

    @Test func copyMatchingACLListHasTheTagOrAny() {
        var access = AccessObject.default(descriptor: "", trusted: [])
        #expect(access.places(authorizing: .sign) == [.entry(1)])
        #expect(access.places(authorizing: .changeACL) == [.owner])
        #expect(access.places(authorizing: .delete) == [])
        access.entries.append(ACLEntry([.any], .any))
        #expect(access.places(authorizing: .sign) == [.entry(1), .entry(2)])
        #expect(access.places(authorizing: .any) == [.entry(2)])
    }

    @Test func removeTakesAnEntryAway() throws {
        var access = AccessObject.default(descriptor: "", trusted: [])
        try access.remove(.entry(0))
        #expect(access.entries.count == 1 && access.places(authorizing: .encrypt) == [])
        #expect(throws: KeychainError(.param, "")) { try access.remove(.entry(1)) }
        #expect(throws: KeychainError(.invalidOwnerEdit, "")) { try access.remove(.owner) }
    }

    @Test func updateAuthorizationsReplacesTheSet() throws {
        var entry = ACLEntry([.decrypt, .sign], .any)
        try entry.update([.encrypt, ACLAuthorization(constant: "nothing")])
        #expect(entry.authorizations == [.encrypt, .unknown])
        try entry.update([])
        #expect(!entry.authorizes(.encrypt) && !entry.authorizes(.any))
    }

    @Test func addingAnApplicationWantsOneSimpleEntry() throws {
        var access = AccessObject.default(descriptor: "the item", trusted: [Self.mail])
        try access.add(Self.git, to: .sign)
        try access.add(Self.mail, to: .sign)
        #expect(access.entries[1].subject == .applications([Self.mail, Self.git], Self.prompt))
        try access.add(Self.git, to: .changeACL)
        #expect(access.owner.subject == .applications([Self.git], Self.prompt))
        // The entries let all programs in, do not exist, are not simple, or are two.
        access.entries[0].subject = .custom([])
        access.entries.append(ACLEntry([.mac], .any))
        for right: ACLAuthorization in [.encrypt, .delete, .mac, .partitionID] {
            #expect(throws: KeychainError(.aclNotSimple, ""), "\(right.name)") { try access.add(Self.git, to: right) }
        }
        #expect(throws: KeychainError(.aclNotSimple, "")) {
            var open = AccessObject.open
            try open.add(Self.git, to: .decrypt)
        }
    }

    /// E.5: the normal calls cannot add, replace or delete the partition entry.
    @Test func onlyThePasswordChangesThePartitionList() throws {
        let former = AccessObject.open.partitioned(PartitionList([.apple]))
        var changed = former
        changed.entries[0].subject = AccessSamples.list(AccessSamples.mail)
        try changed.requireSamePartitionList(as: former)
        var without = former
        try without.remove(.entry(1))
        for other in [AccessObject.open, without, former.partitioned(PartitionList([.apple, .appleTool]))] {
            #expect(throws: KeychainError(.authFailed, "")) { try other.requireSamePartitionList(as: former) }
        }
        #expect(throws: KeychainError(.authFailed, "")) { try former.requireSamePartitionList(as: .open) }
    }
}
