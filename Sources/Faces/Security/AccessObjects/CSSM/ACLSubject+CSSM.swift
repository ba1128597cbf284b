import ChatelaineModel

extension ACLSubject {
    /// Reads the subject that a CSSM list describes; an unknown subject is kept as it is.
    init(_ list: CSSM_LIST, _ budget: inout CSSMElement.Budget) throws(KeychainError) {
        let elements = try CSSMElement.elements(of: list, &budget)
        self = try Self.simple(elements) ?? .custom(Self.encoding(of: elements))
    }

    private static func simple(_ elements: [CSSMElement]) throws(KeychainError) -> ACLSubject? {
        guard case .word(let kind)? = elements.first else { return nil }
        switch Int(kind) {
        case CSSM_ACL_SUBJECT_TYPE_ANY where elements.count == 1: return .any
        case CSSM_ACL_SUBJECT_TYPE_KEYCHAIN_PROMPT: return prompt(elements).map { .applications([], $0) }
        case CSSM_ACL_SUBJECT_TYPE_THRESHOLD: return threshold(elements)
        case CSSM_ACL_SUBJECT_TYPE_PARTITION:
            guard elements.count == 2, case .bytes(let bytes) = elements[1],
                let text = String(validating: bytes, as: UTF8.self)
            else { return nil }
            return .partition(try PartitionList(propertyList: text))
        case CSSM_ACL_SUBJECT_TYPE_PROCESS: return processes(elements).map(ACLSubject.processes)
        default: return nil
        }
    }

    /// Reads a process subject.
    ///
    /// Its selector is version and rule, numbers of 16 bits, and user and group, of 32 bits each, in the machine's
    /// order.
    private static func processes(_ elements: [CSSMElement]) -> ProcessOwner? {
        guard elements.count == 2, case .bytes(let selector) = elements[1],
            selector.count == MemoryLayout<CSSM_ACL_PROCESS_SUBJECT_SELECTOR>.size
        else { return nil }
        let read = selector.withUnsafeBytes { $0.loadUnaligned(as: CSSM_ACL_PROCESS_SUBJECT_SELECTOR.self) }
        guard Int(read.version) == CSSM_ACL_PROCESS_SELECTOR_CURRENT_VERSION else { return nil }
        return ProcessOwner(ProcessOwner.Rule(rawValue: read.mask), user: read.uid, group: read.gid)
    }

    /// Reads a threshold of 1: one of applications and a prompt, or of everybody and a prompt.
    private static func threshold(_ elements: [CSSMElement]) -> ACLSubject? {
        guard elements.count > 3, elements[1] == .word(1), elements[2] == .word(Int32(elements.count - 3)),
            case .list(let last)? = elements.last, let prompt = prompt(last)
        else { return nil }
        let others = elements[3...].dropLast()
        if others.elementsEqual([.list([.word(Int32(CSSM_ACL_SUBJECT_TYPE_ANY))])]) { return .anyDescribed(prompt) }
        let applications = others.compactMap(application)
        return applications.count == others.count ? .applications(applications, prompt) : nil
    }

    /// Reads an application; its external form takes the place of a code signature's comment.
    private static func application(_ element: CSSMElement) -> TrustedApplication? {
        guard case .list(let elements) = element, elements.count == 4,
            elements[0] == .word(Int32(CSSM_ACL_SUBJECT_TYPE_CODE_SIGNATURE)), case .bytes(let bytes) = elements[3]
        else { return nil }
        return try? TrustedApplication(external: bytes)
    }

    /// Reads a prompt; its selector is two numbers of 16 bits, version and flags, in the machine's order.
    private static func prompt(_ elements: [CSSMElement]) -> ACLPrompt? {
        guard elements.count == 3, elements[0] == .word(Int32(CSSM_ACL_SUBJECT_TYPE_KEYCHAIN_PROMPT)),
            case .bytes(let selector) = elements[1], selector.count == 4, case .bytes(let bytes) = elements[2],
            let description = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let flags = selector.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self) }
        return ACLPrompt(ExactText(description), PromptSelector(rawValue: flags))
    }

    private static func encoding(of elements: [CSSMElement]) -> [UInt8] {
        var writer = CBORWriter()
        CSSMElement.encode(elements, to: &writer)
        return writer.finishArray()
    }
}

extension AccessCalls {
    /// `SecAccessCreateFromOwnerAndACL`.
    package static func create(
        _ owner: UnsafePointer<CSSM_ACL_OWNER_PROTOTYPE>?, _ count: UInt32,
        _ entries: UnsafePointer<CSSM_ACL_ENTRY_INFO>?
    ) throws(KeychainError) -> SecAccess {
        guard let owner, count == 0 || entries != nil else {
            throw KeychainError(.param, "the pointer to the owner or to the entries is null")
        }
        guard count <= ACLLimits.entries else {
            throw KeychainError(.dataTooLarge, "an access object has \(ACLLimits.entries) entries at the most")
        }
        var budget = CSSMElement.Budget()
        var object = AccessObject(
            owner: ACLEntry([.changeACL], try ACLSubject(owner.pointee.TypedSubject, &budget)), entries: [])
        // SAFETY: the caller says how many there are.
        for entry in UnsafeBufferPointer(start: entries, count: Int(count)) {
            let subject = try ACLSubject(entry.EntryPublicInfo.TypedSubject, &budget)
            object.entries.append(ACLEntry(try rights(entry.EntryPublicInfo.Authorization), subject))
        }
        try object.validate()
        return SecAccess(object)
    }

    /// Reads the rights of an entry; an entry without rights gives every right.
    private static func rights(_ group: CSSM_AUTHORIZATIONGROUP) throws(KeychainError) -> Set<ACLAuthorization> {
        let count = Int(group.NumberOfAuthTags)
        guard count > 0 else { return [.any] }
        guard let tags = group.AuthTags else { throw KeychainError(.param, "the pointer to an entry's rights is null") }
        guard count <= ACLLimits.authorizations else {
            throw KeychainError(.dataTooLarge, "an entry has \(ACLLimits.authorizations) rights at the most")
        }
        // SAFETY: the caller says how many there are.
        return Set(UnsafeBufferPointer(start: tags, count: count).map(ACLAuthorization.init))
    }
}
