import ChatelaineModel
import CoreFoundation
import Foundation

/// Makes a password of the form `xxx-xxx-xxx-xxx`, with capital and small letters and digits, of which no two look alike.
///
/// Chance makes each as often as any other, from the kernel's generator: 68 bits. The result is never nil; it is optional because
/// it is so in Apple's declaration. It is an object of the program's, which nobody wipes.
public func SecCreateSharedWebCredentialPassword() -> CFString? {
    PasswordPattern.sharedWebCredential.password().withUnsafeBytes {
        NSString(string: String(decoding: $0, as: UTF8.self))
    }
}
