import ChatelaineModel
import CoreFoundation
import Foundation

/// Returns one English sentence about a status: what happened and, where possible, what to do.
///
/// A code that Apple's headers do not define becomes "OSStatus N", so the result is never nil. It is optional because
/// Apple's declaration is. The sentences are our own and may change between versions: compare codes, not texts.
///
/// - Parameters:
///   - status: what a call of this library returned.
///   - reserved: not used; pass nil.
@discardableResult
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    NSString(string: ErrorMessage.text(status))
}

/// The sentence about a status, for Swift and for C alike.
package enum ErrorMessage {
    package static func text(_ status: OSStatus) -> String {
        StatusCatalogue.message(of: status)
    }
}
