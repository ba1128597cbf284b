import Foundation

/// The casts between an `LAError` and the `NSError` that it stands for.
///
/// The compiler makes them for imported errors on Apple's platforms. On Linux the runtime makes them for types that
/// say how: `error as? LAError`, `catch let error as LAError` and `catch LAError.userCancel` then match an `NSError`,
/// and `error as? NSError` matches an `LAError`.
extension LAError: _ObjectiveCBridgeable {
    public static var _nsErrorDomain: String { LAErrorDomain }

    /// The error that an object stands for; nil for one of another domain, or with a code that is unknown here.
    public init?(_bridgedNSError error: NSError) {
        guard error.domain == LAErrorDomain, Code(rawValue: error.code) != nil else { return nil }
        self.init(_nsError: error)
    }

    public func _bridgeToObjectiveC() -> NSError { _nsError }

    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) {
        result = LAError(_bridgedNSError: source)
    }

    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) -> Bool {
        result = LAError(_bridgedNSError: source)
        return result != nil
    }

    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> LAError {
        source.flatMap { LAError(_bridgedNSError: $0) } ?? LAError(.authenticationFailed)
    }
}
