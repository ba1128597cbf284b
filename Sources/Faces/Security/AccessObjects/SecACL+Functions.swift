import ChatelaineModel
import Foundation

/// The type identifier of ``SecACL`` objects.
public func SecACLGetTypeID() -> CFTypeID { SecACL.cfTypeID }

/// Adds an entry to an access object; it gives every right until ``SecACLUpdateAuthorizations(_:_:)`` changes the
/// rights.
///
/// - Parameters:
///   - applicationList: ``SecTrustedApplication`` objects that need no prompt; nil for every application.
///   - description: the description of the item that a prompt shows.
///   - newAcl: receives the entry.
/// - Returns: `errSecParam`, `errSecDataTooLarge`.
@discardableResult
public func SecACLCreateWithSimpleContents(
    _ access: SecAccess, _ applicationList: CFArray?, _ description: CFString,
    _ promptSelector: SecKeychainPromptSelector, _ newAcl: UnsafeMutablePointer<SecACL?>
) -> OSStatus {
    CallStatus.of("SecACLCreateWithSimpleContents") { () throws(KeychainError) in
        newAcl.pointee = try ACLCalls.create(
            in: access, try .init(applicationList, description, promptSelector.rawValue))
    }
}

/// Copies the simple form of an entry.
///
/// - Parameters:
///   - applicationList: receives the applications that need no prompt; nil for every application.
///   - description: receives the description of the item that a prompt shows.
///   - promptSelector: receives the conditions for a prompt.
/// - Returns: `errSecACLNotSimple` for an entry without a simple form; `errSecParam` for a removed entry.
@discardableResult
public func SecACLCopyContents(
    _ acl: SecACL, _ applicationList: UnsafeMutablePointer<CFArray?>, _ description: UnsafeMutablePointer<CFString?>,
    _ promptSelector: UnsafeMutablePointer<SecKeychainPromptSelector>
) -> OSStatus {
    CallStatus.of("SecACLCopyContents") { () throws(KeychainError) in
        let contents = try ACLCalls.contents(of: acl)
        applicationList.pointee = contents.objects
        description.pointee = NSString(string: contents.prompt.description.text)
        promptSelector.pointee = SecKeychainPromptSelector(rawValue: contents.prompt.selector.rawValue)
    }
}

/// Replaces the simple form of an entry.
///
/// - Parameter applicationList: ``SecTrustedApplication`` objects that need no prompt; nil for every application.
/// - Returns: `errSecACLNotSimple` for an entry without a simple form; `errSecParam`, `errSecInvalidACL`.
@discardableResult
public func SecACLSetContents(
    _ acl: SecACL, _ applicationList: CFArray?, _ description: CFString, _ promptSelector: SecKeychainPromptSelector
) -> OSStatus {
    CallStatus.of("SecACLSetContents") { () throws(KeychainError) in
        try ACLCalls.set(acl, try .init(applicationList, description, promptSelector.rawValue))
    }
}

/// Removes an entry from its access object; later calls with the handle fail.
///
/// - Returns: `errSecInvalidOwnerEdit` for the owner entry.
@discardableResult
public func SecACLRemove(_ aclRef: SecACL) -> OSStatus {
    CallStatus.of("SecACLRemove") { () throws(KeychainError) in try ACLCalls.remove(aclRef) }
}

/// Copies the rights that an entry gives, as `kSecACLAuthorization` constants.
///
/// A right without a constant appears as ``kSecACLAuthorizationAny``, although it is another right;
/// ``SecACLGetAuthorizations(_:_:_:)`` returns its number.
@discardableResult
public func SecACLCopyAuthorizations(_ acl: SecACL) -> CFArray {
    NSArray(array: ACLCalls.authorizations(of: acl).map { NSString(string: $0.constant) })
}

/// Replaces the rights of an entry.
///
/// - Parameter authorizations: `kSecACLAuthorization` constants; any other string is the right 0, which gives
///   nothing.
/// - Returns: `errSecParam`, `errSecDataTooLarge`; `errSecInvalidACL` where the entry would hold a partition list or
///   digest, and its description is not of that form.
@discardableResult
public func SecACLUpdateAuthorizations(_ acl: SecACL, _ authorizations: CFArray) -> OSStatus {
    CallStatus.of("SecACLUpdateAuthorizations") { () throws(KeychainError) in
        try ACLCalls.update(acl, QueryDictionary.value(authorizations, isSecret: false))
    }
}

// MARK: In CSSM's form

/// As ``SecACLCreateWithSimpleContents(_:_:_:_:_:)``.
@discardableResult
public func SecACLCreateFromSimpleContents(
    _ access: SecAccess, _ applicationList: CFArray?, _ description: CFString,
    _ promptSelector: UnsafePointer<CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR>, _ newAcl: UnsafeMutablePointer<SecACL?>
) -> OSStatus {
    CallStatus.of("SecACLCreateFromSimpleContents") { () throws(KeychainError) in
        let contents = try ACLCalls.Contents(applicationList, description, promptSelector.pointee.flags)
        newAcl.pointee = try ACLCalls.create(in: access, contents)
    }
}

/// As ``SecACLCopyContents(_:_:_:_:)``.
@discardableResult
public func SecACLCopySimpleContents(
    _ acl: SecACL, _ applicationList: UnsafeMutablePointer<CFArray?>, _ description: UnsafeMutablePointer<CFString?>,
    _ promptSelector: UnsafeMutablePointer<CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR>
) -> OSStatus {
    CallStatus.of("SecACLCopySimpleContents") { () throws(KeychainError) in
        let contents = try ACLCalls.contents(of: acl)
        applicationList.pointee = contents.objects
        description.pointee = NSString(string: contents.prompt.description.text)
        promptSelector.pointee = CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR(contents.prompt.selector)
    }
}

/// As ``SecACLSetContents(_:_:_:_:)``.
@discardableResult
public func SecACLSetSimpleContents(
    _ acl: SecACL, _ applicationList: CFArray?, _ description: CFString,
    _ promptSelector: UnsafePointer<CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR>
) -> OSStatus {
    CallStatus.of("SecACLSetSimpleContents") { () throws(KeychainError) in
        try ACLCalls.set(acl, try .init(applicationList, description, promptSelector.pointee.flags))
    }
}

/// Copies the rights that an entry gives, as numbers.
///
/// - Parameter tagCount: the number of rights that fit; receives the number of rights.
/// - Returns: `errSecParam` where the buffer is too small.
@discardableResult
public func SecACLGetAuthorizations(
    _ acl: SecACL, _ tags: UnsafeMutablePointer<CSSM_ACL_AUTHORIZATION_TAG>, _ tagCount: UnsafeMutablePointer<uint32>
) -> OSStatus {
    CallStatus.of("SecACLGetAuthorizations") { () throws(KeychainError) in
        try ACLCalls.copy(acl, to: tags, tagCount)
    }
}

/// Replaces the rights of an entry, as numbers; unknown rights are kept.
@discardableResult
public func SecACLSetAuthorizations(
    _ acl: SecACL, _ tags: UnsafeMutablePointer<CSSM_ACL_AUTHORIZATION_TAG>, _ tagCount: uint32
) -> OSStatus {
    CallStatus.of("SecACLSetAuthorizations") { () throws(KeychainError) in try ACLCalls.update(acl, tags, tagCount) }
}

extension ACLCalls.Contents {
    fileprivate init(
        _ applications: CFArray?, _ description: CFString, _ selector: UInt16
    ) throws(KeychainError) {
        let applications = try applications.map { (list) throws(KeychainError) in try AccessCalls.applications(list) }
        self.init(applications, .text(description as String), selector)
    }
}

extension ACLContents {
    fileprivate var objects: CFArray? { applications.map { NSArray(array: $0.map(SecTrustedApplication.init)) } }
}
