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
    RandomCall.status(Int(exactly: count), bytes)
}

/// `SecCreateSharedWebCredentialPassword` of `Security/SecSharedCredential.h`.
@_cdecl("SecCreateSharedWebCredentialPassword")
public func createSharedWebCredentialPassword() -> UnsafeRawPointer? {
    PasswordPattern.sharedWebCredential.password().withUnsafeBytes {
        chatelaine_make_text($0.bindMemory(to: UInt8.self).baseAddress, $0.count)
    }
}
