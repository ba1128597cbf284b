import Foundation

// PROOF for nonisolated(unsafe): each is a `let` of an NSString made from a literal, which never changes, so any thread
// may read it without a lock. NSNumber and NSNull are Sendable by themselves.

/// The object for true; implicitly unwrapped as on Apple's platforms, where much code writes `kCFBooleanTrue!`.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
/// The object for false.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
/// The object that stands for nothing inside collections.
public let kCFNull: CFNull! = NSNull()

/// The domain of errors whose code is an ``OSStatus``; Security's errors have it.
nonisolated(unsafe) public let kCFErrorDomainOSStatus: CFErrorDomain! = "NSOSStatusErrorDomain"
/// The domain of errors whose code is an errno value.
nonisolated(unsafe) public let kCFErrorDomainPOSIX: CFErrorDomain! = "NSPOSIXErrorDomain"
/// The key of an error's text in its user information.
nonisolated(unsafe) public let kCFErrorLocalizedDescriptionKey: CFString! = "NSLocalizedDescription"
/// The key of the error that caused an error.
nonisolated(unsafe) public let kCFErrorUnderlyingErrorKey: CFString! = "NSUnderlyingError"
