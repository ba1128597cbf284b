import ChatelaineModel
import Foundation

/// The status bits of a keychain: ``kSecUnlockStateStatus``, ``kSecReadPermStatus``, ``kSecWritePermStatus``.
public typealias SecKeychainStatus = UInt32

/// The keychain is unlocked.
@inlinable public var kSecUnlockStateStatus: UInt32 { 1 }
/// The keychain can be read.
@inlinable public var kSecReadPermStatus: UInt32 { 2 }
/// The keychain can be written to.
@inlinable public var kSecWritePermStatus: UInt32 { 4 }

/// The type identifier of ``SecKeychain`` objects.
public func SecKeychainGetTypeID() -> CFTypeID { SecKeychain.cfTypeID }

/// Returns the version of the file keychain calls, which is Apple's.
@discardableResult
public func SecKeychainGetVersion(_ returnVers: UnsafeMutablePointer<UInt32>) -> OSStatus {
    returnVers.pointee = KeychainCalls.version
    return errSecSuccess
}

/// Returns the object of a keychain by path; the call does not check that the file exists.
///
/// - Parameters:
///   - pathName: a name in the folder of keychains, or a path.
///   - keychain: receives the object; a process has one object for each path.
/// - Returns: `errSecParam` for a text that cannot be a path.
@discardableResult
public func SecKeychainOpen(
    _ pathName: UnsafePointer<CChar>, _ keychain: UnsafeMutablePointer<SecKeychain?>
) -> OSStatus {
    CallStatus.of("SecKeychainOpen") { () throws(KeychainError) in
        keychain.pointee = try KeychainCalls.open(pathName)
    }
}

/// Makes a keychain, unlocks it and puts it last on the search list.
///
/// - Parameters:
///   - password: the password as arbitrary bytes, `passwordLength` of them; the call keeps no pointer to them.
///   - promptUser: whether to ask a person for the password where `password` is nil.
///   - initialAccess: ignored; a keychain has no access object.
/// - Returns: `errSecDuplicateKeychain` where a file exists at the path, `errSecParam`, `errSecUserCanceled`,
///   `errSecInteractionNotAllowed` where nobody can be asked.
@discardableResult
public func SecKeychainCreate(
    _ pathName: UnsafePointer<CChar>, _ passwordLength: UInt32, _ password: UnsafeRawPointer?, _ promptUser: Bool,
    _ initialAccess: SecAccess?, _ keychain: UnsafeMutablePointer<SecKeychain?>
) -> OSStatus {
    CallStatus.of("SecKeychainCreate") { () throws(KeychainError) in
        keychain.pointee = try KeychainCalls.create(
            pathName, GivenPassword(password, count: passwordLength), promptUser: promptUser)
    }
}

/// Unlocks a keychain; an unlocked keychain stays unlocked, whatever the password.
///
/// - Parameters:
///   - keychain: nil for the default keychain.
///   - usePassword: whether to use `password`; if false, a person is asked for the password of a locked keychain.
/// - Returns: `errSecAuthFailed` for a wrong password, and for any password too soon after wrong ones;
///   `errSecUserCanceled`, `errSecInteractionNotAllowed` where nobody can be asked.
@discardableResult
public func SecKeychainUnlock(
    _ keychain: SecKeychain?, _ passwordLength: UInt32, _ password: UnsafeRawPointer?, _ usePassword: Bool
) -> OSStatus {
    CallStatus.of("SecKeychainUnlock") { () throws(KeychainError) in
        try KeychainCalls.unlock(
            keychain, GivenPassword(password, count: passwordLength), usesPassword: usePassword)
    }
}

/// Locks a keychain for all programs; nil means the default keychain.
///
/// The call succeeds for a keychain that is locked already or does not exist.
@discardableResult
public func SecKeychainLock(_ keychain: SecKeychain?) -> OSStatus {
    CallStatus.of("SecKeychainLock") { () throws(KeychainError) in try KeychainCalls.lock(keychain) }
}

/// Locks all keychains of the user.
@discardableResult
public func SecKeychainLockAll() -> OSStatus {
    CallStatus.of("SecKeychainLockAll") { () throws(KeychainError) in try KeychainCalls.lockAll() }
}

/// Deletes a keychain with all its items, and removes it from the search list.
///
/// - Returns: `errSecInvalidKeychain` for nil.
@discardableResult
public func SecKeychainDelete(_ keychainOrArray: SecKeychain?) -> OSStatus {
    CallStatus.of("SecKeychainDelete") { () throws(KeychainError) in
        try KeychainCalls.delete(keychainOrArray.map { [$0] })
    }
}

/// Returns the status bits of a keychain; nil means the default keychain.
///
/// - Returns: `errSecNoSuchKeychain`, `errSecInvalidKeychain` for a damaged keychain.
@discardableResult
public func SecKeychainGetStatus(
    _ keychain: SecKeychain?, _ keychainStatus: UnsafeMutablePointer<SecKeychainStatus>
) -> OSStatus {
    CallStatus.of("SecKeychainGetStatus") { () throws(KeychainError) in
        keychainStatus.pointee = try KeychainCalls.status(of: keychain)
    }
}

/// Copies the path of a keychain's file; nil means the default keychain.
///
/// - Parameters:
///   - ioPathLength: the size of the buffer in bytes; receives the length of the path, without the zero at its end.
/// - Returns: `errSecBufferTooSmall`.
@discardableResult
public func SecKeychainGetPath(
    _ keychain: SecKeychain?, _ ioPathLength: UnsafeMutablePointer<UInt32>, _ pathName: UnsafeMutablePointer<CChar>
) -> OSStatus {
    CallStatus.of("SecKeychainGetPath") { () throws(KeychainError) in
        try KeychainCalls.copyPath(of: keychain, ioPathLength, to: pathName)
    }
}

/// Sets whether file keychain calls of this process may ask a person; a call that needs a person fails if they may
/// not.
@discardableResult
public func SecKeychainSetUserInteractionAllowed(_ state: Bool) -> OSStatus {
    UserInteraction.isAllowed = state
    return errSecSuccess
}

/// Returns whether file keychain calls of this process may ask a person.
@discardableResult
public func SecKeychainGetUserInteractionAllowed(_ state: UnsafeMutablePointer<DarwinBoolean>) -> OSStatus {
    state.pointee = DarwinBoolean(UserInteraction.isAllowed)
    return errSecSuccess
}

/// Returns `errSecUnimplemented`, as on macOS: each item has its own access object, and a keychain has none.
@discardableResult
public func SecKeychainCopyAccess(
    _ keychain: SecKeychain?, _ access: UnsafeMutablePointer<SecAccess?>
) -> OSStatus {
    CallStatus.of("SecKeychainCopyAccess") { () throws(KeychainError) in throw KeychainCalls.noAccess }
}

/// Returns `errSecUnimplemented`, as on macOS: each item has its own access object, and a keychain has none.
@discardableResult
public func SecKeychainSetAccess(_ keychain: SecKeychain?, _ access: SecAccess) -> OSStatus {
    CallStatus.of("SecKeychainSetAccess") { () throws(KeychainError) in throw KeychainCalls.noAccess }
}
