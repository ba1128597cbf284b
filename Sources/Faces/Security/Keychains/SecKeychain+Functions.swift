import ChatelaineModel
import Foundation

/// Bits that tell how it stands with a keychain: ``kSecUnlockStateStatus``, ``kSecReadPermStatus``, ``kSecWritePermStatus``.
public typealias SecKeychainStatus = UInt32

/// It is unlocked.
@inlinable public var kSecUnlockStateStatus: UInt32 { 1 }
/// It can be read.
@inlinable public var kSecReadPermStatus: UInt32 { 2 }
/// It can be written to.
@inlinable public var kSecWritePermStatus: UInt32 { 4 }

/// The type identifier of ``SecKeychain`` objects.
public func SecKeychainGetTypeID() -> CFTypeID { SecKeychain.cfTypeID }

/// Tells the version of the calls about file keychains, which is Apple's.
@discardableResult
public func SecKeychainGetVersion(_ returnVers: UnsafeMutablePointer<UInt32>) -> OSStatus {
    returnVers.pointee = KeychainCalls.version
    return errSecSuccess
}

/// Gives the object of a keychain; whether there is one shows when it is used.
///
/// - Parameters:
///   - pathName: a name in the folder of keychains, or a path.
///   - keychain: receives the object, of which a process has one for each path.
/// - Returns: `errSecParam` for what can be no file's path.
@discardableResult
public func SecKeychainOpen(
    _ pathName: UnsafePointer<CChar>, _ keychain: UnsafeMutablePointer<SecKeychain?>
) -> OSStatus {
    CallStatus.of("SecKeychainOpen") { () throws(KeychainError) in
        keychain.pointee = try KeychainCalls.open(pathName)
    }
}

/// Makes a keychain, which is unlocked then and searched last.
///
/// - Parameters:
///   - password: bytes of any kind, of which `passwordLength` count; they are read here alone.
///   - promptUser: whether a person is asked for the password where none is given.
///   - initialAccess: set aside; a keychain has no access object.
/// - Returns: `errSecDuplicateKeychain` where something is there already, `errSecParam`, `errSecUserCanceled`, `errSecInteractionNotAllowed` where
///   nobody can be asked.
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

/// Unlocks a keychain. One that is unlocked stays so, whatever the password.
///
/// - Parameters:
///   - keychain: nil for the default one.
///   - usePassword: whether the password counts; without it a person is asked for that of a locked keychain.
/// - Returns: `errSecAuthFailed` for a wrong password, and for one that comes too early after wrong ones; `errSecUserCanceled`,
///   `errSecInteractionNotAllowed` where nobody can be asked.
@discardableResult
public func SecKeychainUnlock(
    _ keychain: SecKeychain?, _ passwordLength: UInt32, _ password: UnsafeRawPointer?, _ usePassword: Bool
) -> OSStatus {
    CallStatus.of("SecKeychainUnlock") { () throws(KeychainError) in
        try KeychainCalls.unlock(
            keychain, GivenPassword(password, count: passwordLength), usesPassword: usePassword)
    }
}

/// Locks a keychain for all programs; nil is the default one. One that is locked, or not there, is no failure.
@discardableResult
public func SecKeychainLock(_ keychain: SecKeychain?) -> OSStatus {
    CallStatus.of("SecKeychainLock") { () throws(KeychainError) in try KeychainCalls.lock(keychain) }
}

/// Locks all keychains of the user.
@discardableResult
public func SecKeychainLockAll() -> OSStatus {
    CallStatus.of("SecKeychainLockAll") { () throws(KeychainError) in try KeychainCalls.lockAll() }
}

/// Deletes a keychain with all that is in it, and takes it off the search list.
///
/// - Returns: `errSecInvalidKeychain` for nil.
@discardableResult
public func SecKeychainDelete(_ keychainOrArray: SecKeychain?) -> OSStatus {
    CallStatus.of("SecKeychainDelete") { () throws(KeychainError) in
        try KeychainCalls.delete(keychainOrArray.map { [$0] })
    }
}

/// Tells how it stands with a keychain; nil is the default one.
///
/// - Returns: `errSecNoSuchKeychain`, `errSecInvalidKeychain` for a damaged one.
@discardableResult
public func SecKeychainGetStatus(
    _ keychain: SecKeychain?, _ keychainStatus: UnsafeMutablePointer<SecKeychainStatus>
) -> OSStatus {
    CallStatus.of("SecKeychainGetStatus") { () throws(KeychainError) in
        keychainStatus.pointee = try KeychainCalls.status(of: keychain)
    }
}

/// Copies the path of a keychain's file; nil is the default one.
///
/// - Parameters:
///   - ioPathLength: room for how many bytes there is; receives how many the path has, without the zero at its end.
/// - Returns: `errSecBufferTooSmall`.
@discardableResult
public func SecKeychainGetPath(
    _ keychain: SecKeychain?, _ ioPathLength: UnsafeMutablePointer<UInt32>, _ pathName: UnsafeMutablePointer<CChar>
) -> OSStatus {
    CallStatus.of("SecKeychainGetPath") { () throws(KeychainError) in
        try KeychainCalls.copyPath(of: keychain, ioPathLength, to: pathName)
    }
}

/// Says whether calls of this process about file keychains may have a person asked; those that would have to fail then.
@discardableResult
public func SecKeychainSetUserInteractionAllowed(_ state: Bool) -> OSStatus {
    UserInteraction.isAllowed = state
    return errSecSuccess
}

/// Tells whether calls of this process about file keychains may have a person asked.
@discardableResult
public func SecKeychainGetUserInteractionAllowed(_ state: UnsafeMutablePointer<DarwinBoolean>) -> OSStatus {
    state.pointee = DarwinBoolean(UserInteraction.isAllowed)
    return errSecSuccess
}

/// Is `errSecUnimplemented`, as on macOS: who may use what is said of each item.
@discardableResult
public func SecKeychainCopyAccess(
    _ keychain: SecKeychain?, _ access: UnsafeMutablePointer<SecAccess?>
) -> OSStatus {
    CallStatus.of("SecKeychainCopyAccess") { () throws(KeychainError) in throw KeychainCalls.noAccess }
}

/// Is `errSecUnimplemented`, as on macOS: who may use what is said of each item.
@discardableResult
public func SecKeychainSetAccess(_ keychain: SecKeychain?, _ access: SecAccess) -> OSStatus {
    CallStatus.of("SecKeychainSetAccess") { () throws(KeychainError) in throw KeychainCalls.noAccess }
}
