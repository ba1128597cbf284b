import ChatelaineModel
import CoreFoundation

/// The `SecACL` calls, for Swift and for C alike.
package enum ACLCalls {
    /// The simple form of an entry, as a program passes it.
    package struct Contents {
        /// The applications that need no prompt; nil for every application.
        let applications: [SecTrustedApplication]?
        let description: QueryValue
        let selector: UInt16

        package init(_ applications: [SecTrustedApplication]?, _ description: QueryValue, _ selector: UInt16) {
            self.applications = applications
            self.description = description
            self.selector = selector
        }

        func read() throws(KeychainError) -> ACLContents {
            guard case .text(let text) = description else {
                throw KeychainError(.param, "the description of an entry is no string")
            }
            return ACLContents(
                applications: applications?.map(\.application),
                prompt: ACLPrompt(ExactText(text), PromptSelector(rawValue: selector)))
        }
    }

    /// Adds an entry that gives every right until the rights are changed.
    package static func create(in access: SecAccess, _ contents: Contents) throws(KeychainError) -> SecACL {
        try access.append(ACLEntry([.any], try contents.read()))
    }

    /// - Throws: `errSecACLNotSimple` for an entry without a simple form.
    package static func contents(of acl: SecACL) throws(KeychainError) -> ACLContents {
        try acl.access.entry(acl.name).contents()
    }

    package static func set(_ acl: SecACL, _ contents: Contents) throws(KeychainError) {
        let contents = try contents.read()
        try acl.access.change(acl.name) { (entry) throws(KeychainError) in try entry.set(contents) }
    }

    package static func remove(_ acl: SecACL) throws(KeychainError) { try acl.access.remove(acl.name) }

    // MARK: Rights

    /// The rights of an entry; empty for a removed entry.
    package static func authorizations(of acl: SecACL) -> [ACLAuthorization] {
        (try? acl.access.entry(acl.name).authorizations.sorted()) ?? []
    }

    /// - Parameter constants: `kSecACLAuthorization` constants; any other string is the right 0.
    package static func update(_ acl: SecACL, _ constants: QueryValue) throws(KeychainError) {
        try update(acl, try rights(constants))
    }

    /// - Parameter constants: as for ``update(_:_:)``.
    static func rights(_ constants: QueryValue) throws(KeychainError) -> Set<ACLAuthorization> {
        guard case .array(let elements) = constants else {
            throw KeychainError(.param, "the rights of an entry are no list")
        }
        try require(elements.count)
        var rights: Set<ACLAuthorization> = []
        for element in elements {
            guard case .text(let constant) = element else {
                throw KeychainError(.param, "a right of an entry is no string: kSecACLAuthorization constants are")
            }
            rights.insert(ACLAuthorization(constant: constant))
        }
        return rights
    }

    package static func update(_ acl: SecACL, _ tags: UnsafePointer<Int32>?, _ count: UInt32) throws(KeychainError) {
        try require(Int(count))
        guard count == 0 || tags != nil else { throw KeychainError(.param, "the pointer to the rights is null") }
        // SAFETY: the caller says how many there are.
        let numbers = UnsafeBufferPointer(start: tags, count: Int(count))
        try update(acl, Set(numbers.map(ACLAuthorization.init)))
    }

    /// Copies the rights of an entry to the caller's buffer.
    ///
    /// - Parameter count: the number of rights that fit; receives the number of rights.
    /// - Throws: `errSecParam` where the buffer is too small.
    package static func copy(
        _ acl: SecACL, to tags: UnsafeMutablePointer<Int32>?, _ count: UnsafeMutablePointer<UInt32>
    ) throws(KeychainError) {
        let rights = try acl.access.entry(acl.name).authorizations.sorted()
        let room = count.pointee
        count.pointee = UInt32(rights.count)
        guard rights.count <= Int(room), rights.isEmpty || tags != nil else {
            throw KeychainError(.param, "there is room for \(room) rights, and the entry has \(rights.count)")
        }
        for (index, right) in rights.enumerated() { tags?[index] = right.rawValue }
    }

    private static func update(_ acl: SecACL, _ rights: Set<ACLAuthorization>) throws(KeychainError) {
        try acl.access.change(acl.name) { (entry) throws(KeychainError) in try entry.update(rights) }
    }

    private static func require(_ count: Int) throws(KeychainError) {
        guard count <= ACLLimits.authorizations else {
            throw KeychainError(.dataTooLarge, "an entry has \(ACLLimits.authorizations) rights at the most")
        }
    }
}
