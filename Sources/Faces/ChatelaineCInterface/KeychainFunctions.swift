import ChatelaineModel
import Security

/// `SecKeychainGetTypeID` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainGetTypeID")
public func keychainGetTypeID() -> UInt { BoxType.keychain.identifier }

/// `SecKeychainGetVersion` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainGetVersion")
public func keychainGetVersion(_ version: UnsafeMutablePointer<UInt32>?) -> OSStatus {
    CallStatus.of("SecKeychainGetVersion") { () throws(KeychainError) in
        try ForeignObject.required(version).pointee = KeychainCalls.version
    }
}

/// `SecKeychainOpen` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainOpen")
public func keychainOpen(
    _ path: UnsafePointer<CChar>?, _ keychain: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainOpen") { () throws(KeychainError) in
        let place = try ForeignObject.required(keychain)
        place.pointee = try KeychainObjects.make(try KeychainCalls.open(path))
    }
}

/// `SecKeychainCreate` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainCreate")
public func keychainCreate(
    _ path: UnsafePointer<CChar>?, _ length: UInt32, _ password: UnsafeRawPointer?, _ promptUser: UInt8,
    _ access: UnsafeRawPointer?, _ keychain: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainCreate") { () throws(KeychainError) in
        let made = try KeychainCalls.create(
            path, GivenPassword(password, count: length), promptUser: promptUser != 0)
        // The pointer for the object may be null.
        keychain?.pointee = try KeychainObjects.make(made)
    }
}

/// `SecKeychainUnlock` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainUnlock")
public func keychainUnlock(
    _ keychain: UnsafeRawPointer?, _ length: UInt32, _ password: UnsafeRawPointer?, _ usePassword: UInt8
) -> OSStatus {
    CallStatus.of("SecKeychainUnlock") { () throws(KeychainError) in
        try KeychainCalls.unlock(
            try KeychainObjects.content(keychain), GivenPassword(password, count: length),
            usesPassword: usePassword != 0)
    }
}

/// `SecKeychainLock` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainLock")
public func keychainLock(_ keychain: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecKeychainLock") { () throws(KeychainError) in
        try KeychainCalls.lock(try KeychainObjects.content(keychain))
    }
}

/// `SecKeychainLockAll` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainLockAll")
public func keychainLockAll() -> OSStatus {
    CallStatus.of("SecKeychainLockAll") { () throws(KeychainError) in try KeychainCalls.lockAll() }
}

/// `SecKeychainDelete` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainDelete")
public func keychainDelete(_ keychainOrArray: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecKeychainDelete") { () throws(KeychainError) in
        try KeychainCalls.delete(try KeychainObjects.named(keychainOrArray))
    }
}

/// `SecKeychainGetStatus` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainGetStatus")
public func keychainGetStatus(_ keychain: UnsafeRawPointer?, _ status: UnsafeMutablePointer<UInt32>?) -> OSStatus {
    CallStatus.of("SecKeychainGetStatus") { () throws(KeychainError) in
        let place = try ForeignObject.required(status)
        place.pointee = try KeychainCalls.status(of: try KeychainObjects.content(keychain))
    }
}

/// `SecKeychainGetPath` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainGetPath")
public func keychainGetPath(
    _ keychain: UnsafeRawPointer?, _ length: UnsafeMutablePointer<UInt32>?, _ path: UnsafeMutablePointer<CChar>?
) -> OSStatus {
    CallStatus.of("SecKeychainGetPath") { () throws(KeychainError) in
        try KeychainCalls.copyPath(
            of: try KeychainObjects.content(keychain), try ForeignObject.required(length), to: path)
    }
}

/// `SecKeychainSetUserInteractionAllowed` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainSetUserInteractionAllowed")
public func keychainSetUserInteractionAllowed(_ state: UInt8) -> OSStatus {
    UserInteraction.isAllowed = state != 0
    return errSecSuccess
}

/// `SecKeychainGetUserInteractionAllowed` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainGetUserInteractionAllowed")
public func keychainGetUserInteractionAllowed(_ state: UnsafeMutablePointer<UInt8>?) -> OSStatus {
    CallStatus.of("SecKeychainGetUserInteractionAllowed") { () throws(KeychainError) in
        try ForeignObject.required(state).pointee = UserInteraction.isAllowed ? 1 : 0
    }
}

/// `SecKeychainCopySettings` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainCopySettings")
public func keychainCopySettings(_ keychain: UnsafeRawPointer?, _ settings: UnsafeMutableRawPointer?) -> OSStatus {
    CallStatus.of("SecKeychainCopySettings") { () throws(KeychainError) in
        // The header's structure has the same layout as Swift's (SecKeychainTests.layoutIsThatOfC).
        let place = try ForeignObject.required(settings?.assumingMemoryBound(to: SecKeychainSettings.self))
        place.pointee = SecKeychainSettings(try KeychainCalls.settings(of: try KeychainObjects.content(keychain)))
    }
}

/// `SecKeychainSetSettings` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainSetSettings")
public func keychainSetSettings(_ keychain: UnsafeRawPointer?, _ settings: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecKeychainSetSettings") { () throws(KeychainError) in
        guard let settings else { throw KeychainError(.param, "the pointer to the settings is null") }
        guard let given = settings.assumingMemoryBound(to: SecKeychainSettings.self).pointee.read() else { return }
        try KeychainCalls.set(given, of: try KeychainObjects.content(keychain))
    }
}

/// `SecKeychainCopyAccess` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainCopyAccess")
public func keychainCopyAccess(
    _ keychain: UnsafeRawPointer?, _ access: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainCopyAccess") { () throws(KeychainError) in throw KeychainCalls.noAccess }
}

/// `SecKeychainSetAccess` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainSetAccess")
public func keychainSetAccess(_ keychain: UnsafeRawPointer?, _ access: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecKeychainSetAccess") { () throws(KeychainError) in throw KeychainCalls.noAccess }
}
