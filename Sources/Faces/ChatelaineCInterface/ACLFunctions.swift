import CChatelaineFoundation
import ChatelaineModel
import Security

/// `SecACLGetTypeID` of `Security/SecACL.h`.
@_cdecl("SecACLGetTypeID")
public func aclGetTypeID() -> UInt { BoxType.acl.identifier }

/// `SecACLCreateWithSimpleContents` of `Security/SecACL.h`.
@_cdecl("SecACLCreateWithSimpleContents")
public func aclCreateWithSimpleContents(
    _ access: UnsafeRawPointer?, _ applications: UnsafeRawPointer?, _ description: UnsafeRawPointer?,
    _ selector: UInt16, _ acl: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecACLCreateWithSimpleContents") { () throws(KeychainError) in
        try create(access, applications, description, selector, acl)
    }
}

/// `SecACLCreateFromSimpleContents` of `Security/SecACL.h`.
@_cdecl("SecACLCreateFromSimpleContents")
public func aclCreateFromSimpleContents(
    _ access: UnsafeRawPointer?, _ applications: UnsafeRawPointer?, _ description: UnsafeRawPointer?,
    _ selector: UnsafeRawPointer?, _ acl: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecACLCreateFromSimpleContents") { () throws(KeychainError) in
        try create(access, applications, description, try flags(selector), acl)
    }
}

/// `SecACLCopyContents` of `Security/SecACL.h`.
@_cdecl("SecACLCopyContents")
public func aclCopyContents(
    _ object: UnsafeRawPointer?, _ applications: UnsafeMutablePointer<UnsafeRawPointer?>?,
    _ description: UnsafeMutablePointer<UnsafeRawPointer?>?, _ selector: UnsafeMutablePointer<UInt16>?
) -> OSStatus {
    CallStatus.of("SecACLCopyContents") { () throws(KeychainError) in
        let place = try ForeignObject.required(selector)
        place.pointee = try copy(object, applications, description).rawValue
    }
}

/// `SecACLCopySimpleContents` of `Security/SecACL.h`.
@_cdecl("SecACLCopySimpleContents")
public func aclCopySimpleContents(
    _ object: UnsafeRawPointer?, _ applications: UnsafeMutablePointer<UnsafeRawPointer?>?,
    _ description: UnsafeMutablePointer<UnsafeRawPointer?>?, _ selector: UnsafeMutableRawPointer?
) -> OSStatus {
    CallStatus.of("SecACLCopySimpleContents") { () throws(KeychainError) in
        let place = try ForeignObject.required(
            selector?.assumingMemoryBound(to: CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR.self))
        place.pointee = CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR(try copy(object, applications, description))
    }
}

/// `SecACLSetContents` of `Security/SecACL.h`.
@_cdecl("SecACLSetContents")
public func aclSetContents(
    _ object: UnsafeRawPointer?, _ applications: UnsafeRawPointer?, _ description: UnsafeRawPointer?, _ selector: UInt16
) -> OSStatus {
    CallStatus.of("SecACLSetContents") { () throws(KeychainError) in
        try ACLCalls.set(
            try ForeignObject.content(object, .acl), try contents(applications, description, selector))
    }
}

/// `SecACLSetSimpleContents` of `Security/SecACL.h`.
@_cdecl("SecACLSetSimpleContents")
public func aclSetSimpleContents(
    _ object: UnsafeRawPointer?, _ applications: UnsafeRawPointer?, _ description: UnsafeRawPointer?,
    _ selector: UnsafeRawPointer?
) -> OSStatus {
    CallStatus.of("SecACLSetSimpleContents") { () throws(KeychainError) in
        try ACLCalls.set(
            try ForeignObject.content(object, .acl), try contents(applications, description, try flags(selector)))
    }
}

/// `SecACLRemove` of `Security/SecACL.h`.
@_cdecl("SecACLRemove")
public func aclRemove(_ object: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecACLRemove") { () throws(KeychainError) in
        try ACLCalls.remove(try ForeignObject.content(object, .acl))
    }
}

// MARK: Between both languages

private func create(
    _ access: UnsafeRawPointer?, _ applications: UnsafeRawPointer?, _ description: UnsafeRawPointer?,
    _ selector: UInt16, _ acl: UnsafeMutablePointer<UnsafeRawPointer?>?
) throws(KeychainError) {
    let place = try ForeignObject.required(acl)
    let made = try ACLCalls.create(
        in: try ForeignObject.content(access, .access), try contents(applications, description, selector))
    place.pointee = try ForeignObject.make(made, .acl)
}

/// Stores the list and the description at the caller's pointers, and returns the selector.
private func copy(
    _ object: UnsafeRawPointer?, _ applications: UnsafeMutablePointer<UnsafeRawPointer?>?,
    _ description: UnsafeMutablePointer<UnsafeRawPointer?>?
) throws(KeychainError) -> PromptSelector {
    let (list, text) = (try ForeignObject.required(applications), try ForeignObject.required(description))
    let contents = try ACLCalls.contents(of: try ForeignObject.content(object, .acl))
    let words = try ForeignObject.text(contents.prompt.description.text)
    var programs: UnsafeRawPointer?
    if let applications = contents.applications {
        do throws(KeychainError) {
            programs = try ForeignObject.make(applications.map(SecTrustedApplication.init), .trustedApplication)
        } catch {
            chatelaine_release(words)
            throw error
        }
    }
    (list.pointee, text.pointee) = (programs, words)
    return contents.prompt.selector
}

private func contents(
    _ applications: UnsafeRawPointer?, _ description: UnsafeRawPointer?, _ selector: UInt16
) throws(KeychainError) -> ACLCalls.Contents {
    ACLCalls.Contents(try ForeignObject.applications(applications), ForeignValue.meaning(of: description), selector)
}

private func flags(_ selector: UnsafeRawPointer?) throws(KeychainError) -> UInt16 {
    guard let selector else { throw KeychainError(.param, "the pointer to the prompt selector is null") }
    return selector.assumingMemoryBound(to: CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR.self).pointee.flags
}
