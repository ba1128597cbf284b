import CChatelaineFoundation
import ChatelaineModel
import Security

/// `SecCopyErrorMessageString` of `Security/SecBase.h`.
@_cdecl("SecCopyErrorMessageString")
public func copyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> UnsafeRawPointer? {
    ForeignResult.text(ErrorMessage.text(status))
}

/// `SecRandomCopyBytes` of `Security/SecRandom.h`.
@_cdecl("SecRandomCopyBytes")
public func randomCopyBytes(_ source: UnsafeRawPointer?, _ count: UInt, _ bytes: UnsafeMutableRawPointer?) -> Int32 {
    // `kSecRandomDefault` is a null pointer in C.
    guard source == nil, let count = Int(exactly: count) else { return errSecParam }
    guard count > 0 else { return errSecSuccess }
    guard let bytes else { return errSecParam }
    return RandomBytes.system.fill(UnsafeMutableRawBufferPointer(start: bytes, count: count))
}

/// `SecAccessControlGetTypeID` of `Security/SecAccessControl.h`.
@_cdecl("SecAccessControlGetTypeID")
public func accessControlGetTypeID() -> UInt { BoxType.accessControl.identifier }
