import ChatelaineModel
import Foundation

/// The type identifier of ``SecACL`` objects.
public func SecACLGetTypeID() -> CFTypeID { SecACL.cfTypeID }

/// Adds an entry to an access object, which gives every right until ``SecACLUpdateAuthorizations(_:_:)`` says otherwise.
///
/// - Parameters:
///   - applicationList: who is let in without asking, ``SecTrustedApplication`` objects; nil for everybody.
///   - description: what a person is told of the item.
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

/// Copies what an entry says in its simple form.
///
/// - Parameters:
///   - applicationList: receives who is let in without asking; nil where everybody is.
///   - description: receives what a person is told of the item.
///   - promptSelector: receives when a person is asked.
/// - Returns: `errSecACLNotSimple` of an entry that has no such form; `errSecParam` of one that was removed.
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

/// Puts another simple form in the place of an entry's.
///
/// - Parameter applicationList: who is let in without asking; nil for everybody.
/// - Returns: `errSecACLNotSimple` of an entry that has no such form; `errSecParam`, `errSecInvalidACL`.
@discardableResult
public func SecACLSetContents(
    _ acl: SecACL, _ applicationList: CFArray?, _ description: CFString, _ promptSelector: SecKeychainPromptSelector
) -> OSStatus {
    CallStatus.of("SecACLSetContents") { () throws(KeychainError) in
        try ACLCalls.set(acl, try .init(applicationList, description, promptSelector.rawValue))
    }
}

/// Takes an entry out of its access object; the handle is of no use any more.
///
/// - Returns: `errSecInvalidOwnerEdit` for the owner's.
@discardableResult
public func SecACLRemove(_ aclRef: SecACL) -> OSStatus {
    CallStatus.of("SecACLRemove") { () throws(KeychainError) in try ACLCalls.remove(aclRef) }
}

/// Copies the rights that an entry gives, as `kSecACLAuthorization` constants.
///
/// A right without one is told as ``kSecACLAuthorizationAny``, although it is not that; ``SecACLGetAuthorizations(_:_:_:)`` tells it.
public func SecACLCopyAuthorizations(_ acl: SecACL) -> CFArray {
    NSArray(array: ACLCalls.authorizations(of: acl).map { NSString(string: $0.constant) })
}

/// Puts other rights in the place of an entry's.
///
/// - Parameter authorizations: `kSecACLAuthorization` constants. Any other string is the right 0, which gives nothing.
/// - Returns: `errSecParam`, `errSecDataTooLarge`; `errSecInvalidACL` where the entry would hold a partition list or digest that its
///   description is not.
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
/// - Parameter tagCount: how many there is room for; receives how many there are.
/// - Returns: `errSecParam` where there is too little room.
@discardableResult
public func SecACLGetAuthorizations(
    _ acl: SecACL, _ tags: UnsafeMutablePointer<CSSM_ACL_AUTHORIZATION_TAG>, _ tagCount: UnsafeMutablePointer<uint32>
) -> OSStatus {
    CallStatus.of("SecACLGetAuthorizations") { () throws(KeychainError) in
        try ACLCalls.copy(acl, to: tags, tagCount)
    }
}

/// Puts other rights in the place of an entry's, as numbers; those that nobody knows are kept.
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
