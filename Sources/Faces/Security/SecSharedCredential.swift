import ChatelaineModel
import CoreFoundation
import Foundation

/// Makes a random password of the form `xxx-xxx-xxx-xxx`, of capital and small letters and digits that do not look
/// alike.
///
/// All passwords are equally likely; the kernel's generator supplies 68 bits. The result is never nil; it is optional
/// because Apple's declaration is. The string belongs to the program, and the library does not wipe it.
@discardableResult
public func SecCreateSharedWebCredentialPassword() -> CFString? {
    PasswordPattern.sharedWebCredential.password().withUnsafeBytes {
        NSString(string: String(decoding: $0, as: UTF8.self))
    }
}
