/// An entry of an access object: rights, and the subject that has them.
package struct ACLEntry: Hashable, Sendable {
    package var authorizations: Set<ACLAuthorization>
    package var subject: ACLSubject

    package init(_ authorizations: Set<ACLAuthorization>, _ subject: ACLSubject) {
        self.authorizations = authorizations
        self.subject = subject
    }

    /// Whether the entry gives the right, by name or through ``ACLAuthorization/any``.
    package func authorizes(_ right: ACLAuthorization) -> Bool {
        authorizations.contains(right) || authorizations.contains(.any)
    }
}

/// The simple form of an entry, as `SecACLCopyContents` returns it.
package struct ACLContents: Hashable, Sendable {
    /// Nil if everyone is let in.
    package var applications: [TrustedApplication]?
    package var prompt: ACLPrompt

    package init(applications: [TrustedApplication]?, prompt: ACLPrompt) {
        self.applications = applications
        self.prompt = prompt
    }
}

extension ACLEntry {
    /// The simple form of the entry.
    ///
    /// An entry that holds data has the data as its description, in hexadecimal, as Apple shows them.
    ///
    /// - Throws: `errSecACLNotSimple` if the entry has no simple form.
    package func contents() throws(KeychainError) -> ACLContents {
        switch subject {
        case .any: ACLContents(applications: nil, prompt: ACLPrompt(""))
        case .anyDescribed(let prompt): ACLContents(applications: nil, prompt: prompt)
        case .applications(let applications, let prompt): ACLContents(applications: applications, prompt: prompt)
        case .partition(let list): ACLContents(applications: nil, prompt: ACLPrompt(ExactText(list.hexadecimal)))
        case .integrity(let bytes):
            ACLContents(applications: nil, prompt: ACLPrompt(ExactText(Hexadecimal.text(of: bytes))))
        case .processes, .custom: throw Self.notSimple
        }
    }

    /// An entry with these rights and this simple form.
    ///
    /// - Throws: `errSecInvalidACL` if it should hold a partition list or a digest and its description is neither.
    package init(_ authorizations: Set<ACLAuthorization>, _ contents: ACLContents) throws(KeychainError) {
        self.init(authorizations, try Self.subject(authorizations, contents))
    }

    /// Replaces the simple form.
    ///
    /// - Throws: `errSecACLNotSimple` if the entry has no simple form, and what ``init(_:_:)`` throws.
    package mutating func set(_ contents: ACLContents) throws(KeychainError) {
        guard isSimple else { throw Self.notSimple }
        subject = try Self.subject(authorizations, contents)
    }

    /// Replaces the rights.
    ///
    /// An entry that now marks a partition list or a digest takes it from its description.
    ///
    /// - Throws: what ``init(_:_:)`` throws.
    package mutating func update(_ authorizations: Set<ACLAuthorization>) throws(KeychainError) {
        if isSimple {
            self = try ACLEntry(authorizations, try contents())
        } else {
            self.authorizations = authorizations
        }
    }

    /// Whether the entry has a simple form.
    private var isSimple: Bool {
        switch subject {
        case .processes, .custom: false
        case .any, .anyDescribed, .applications, .partition, .integrity: true
        }
    }

    private static func subject(
        _ authorizations: Set<ACLAuthorization>, _ contents: ACLContents
    ) throws(KeychainError) -> ACLSubject {
        if authorizations == [.partitionID] {
            guard contents.applications == nil else { throw holdsData(.partitionID) }
            return .partition(try PartitionList(hexadecimal: contents.prompt.description.text))
        }
        if authorizations == [.integrity] {
            guard contents.applications == nil,
                let bytes = Hexadecimal.bytes(of: contents.prompt.description.text.utf8)
            else { throw holdsData(.integrity) }
            return .integrity(bytes)
        }
        if let applications = contents.applications { return .applications(applications, contents.prompt) }
        return contents.prompt == ACLPrompt("") ? .any : .anyDescribed(contents.prompt)
    }

    private static func holdsData(_ tag: ACLAuthorization) -> KeychainError {
        KeychainError(
            .invalidACL, "an entry of the tag \(tag.name) has its data as description, and no list of applications")
    }

    static var notSimple: KeychainError {
        KeychainError(
            .aclNotSimple, "the entry is not a list of applications, or there is not exactly one for that right")
    }
}

extension ACLEntry: CBORValue {
    private enum Field: UInt64, CBORField {
        case authorizations = 1
        case subject = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.writeArray(Field.authorizations, authorizations.sorted())
            $0.write(Field.subject, subject)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let read: [ACLAuthorization] = try map.readArray(Field.authorizations, limit: ACLLimits.authorizations)
        for (number, next) in zip(read, read.dropFirst()) where number >= next { throw .unorderedKeys }
        authorizations = Set(read)
        subject = try map.read(Field.subject)
        reader = try map.end()
    }
}
