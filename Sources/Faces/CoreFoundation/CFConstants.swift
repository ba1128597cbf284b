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
/// The domain of Foundation's own errors.
nonisolated(unsafe) public let kCFErrorDomainCocoa: CFErrorDomain! = "NSCocoaErrorDomain"
/// The domain of errors of Mach.
nonisolated(unsafe) public let kCFErrorDomainMach: CFErrorDomain! = "NSMachErrorDomain"
/// The key of an error's text in its user information.
nonisolated(unsafe) public let kCFErrorLocalizedDescriptionKey: CFString! = "NSLocalizedDescription"
/// The key of the error that caused an error.
nonisolated(unsafe) public let kCFErrorUnderlyingErrorKey: CFString! = "NSUnderlyingError"
/// The key of a text that says what failed.
nonisolated(unsafe) public let kCFErrorLocalizedFailureKey: CFString! = "NSLocalizedFailure"
/// The key of a text that says why it failed.
nonisolated(unsafe) public let kCFErrorLocalizedFailureReasonKey: CFString! = "NSLocalizedFailureReason"
/// The key of a text that says what people can do.
nonisolated(unsafe) public let kCFErrorLocalizedRecoverySuggestionKey: CFString! = "NSLocalizedRecoverySuggestion"
/// The key of a text for programmers.
nonisolated(unsafe) public let kCFErrorDescriptionKey: CFString! = "NSDescription"
/// The key of the locator that an error is about.
nonisolated(unsafe) public let kCFErrorURLKey: CFString! = "NSURL"
/// The key of the path that an error is about.
nonisolated(unsafe) public let kCFErrorFilePathKey: CFString! = "NSFilePath"
