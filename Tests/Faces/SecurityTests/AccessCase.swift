import ChatelaineModel
import Foundation
import Testing

@testable import Security

/// Shared parts of access object tests: programs that no daemon had to inspect, and calls whose status is success.
enum AccessCase {
    static func application(_ byte: UInt8, at path: ExactText = "/opt/a") throws -> SecTrustedApplication {
        let digest = try #require(ExecutableDigest([UInt8](repeating: byte, count: ExecutableDigest.byteCount)))
        return SecTrustedApplication(TrustedApplication(.digest(digest), .file, at: path))
    }

    static func access(_ descriptor: String = "mail", _ trusted: [SecTrustedApplication] = []) throws -> SecAccess {
        var access: SecAccess?
        #expect(SecAccessCreate(descriptor as CFString, trusted as CFArray, &access) == errSecSuccess)
        return try #require(access)
    }

    static func acls(_ access: SecAccess) throws -> [SecACL] {
        var list: CFArray?
        #expect(SecAccessCopyACLList(access, &list) == errSecSuccess)
        return try #require(list as? [SecACL])
    }

    /// The only entry for a right.
    static func acl(_ access: SecAccess, _ right: CFString) throws -> SecACL {
        let acls = try #require(SecAccessCopyMatchingACLList(access, right) as? [SecACL])
        #expect(acls.count == 1)
        return try #require(acls.first)
    }

    static func rights(_ acl: SecACL) -> Set<String> { Set((SecACLCopyAuthorizations(acl) as? [String]) ?? []) }

    struct Contents {
        var status: OSStatus
        var applications: [SecTrustedApplication]?
        var description: String?
        var selector: SecKeychainPromptSelector
    }

    static func contents(_ acl: SecACL) -> Contents {
        var (list, description): (CFArray?, CFString?) = (nil, nil)
        var selector = SecKeychainPromptSelector()
        let status = SecACLCopyContents(acl, &list, &description, &selector)
        return Contents(
            status: status, applications: list as? [SecTrustedApplication], description: description as String?,
            selector: selector)
    }
}
