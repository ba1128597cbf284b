import Foundation

/// Makes an error; its user information may be nil, and only keys that are strings count.
public func CFErrorCreate(
    _ allocator: CFAllocator!, _ domain: CFErrorDomain!, _ code: CFIndex, _ userInfo: CFDictionary!
) -> CFError! {
    domain.map { NSError(domain: $0 as String, code: code, userInfo: userInfo as? [String: Any]) }
}

/// Returns the code of an error; in the domain ``kCFErrorDomainOSStatus`` it is an ``OSStatus``.
public func CFErrorGetCode(_ err: CFError!) -> CFIndex { err?.code ?? 0 }

/// Returns the domain of an error, which defines the meaning of its code.
public func CFErrorGetDomain(_ err: CFError!) -> CFErrorDomain! { err.map { NSString(string: $0.domain) } }

/// Returns the text of an error for people.
public func CFErrorCopyDescription(_ err: CFError!) -> CFString! {
    err.map { NSString(string: $0.localizedDescription) }
}

/// Returns the user information of an error, or an empty dictionary.
public func CFErrorCopyUserInfo(_ err: CFError!) -> CFDictionary! {
    err.map { error in
        let copy = NSMutableDictionary()
        for (key, value) in error.userInfo { copy[NSString(string: key)] = value }
        return copy
    }
}

/// Returns why an error occurred, for people; nil where its user information does not say.
public func CFErrorCopyFailureReason(_ err: CFError!) -> CFString! {
    err?.localizedFailureReason.map { NSString(string: $0) }
}

/// Returns what people can do about an error; nil where its user information does not say.
public func CFErrorCopyRecoverySuggestion(_ err: CFError!) -> CFString! {
    err?.localizedRecoverySuggestion.map { NSString(string: $0) }
}
