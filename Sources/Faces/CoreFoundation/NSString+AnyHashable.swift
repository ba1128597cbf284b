import Foundation

/// Makes `AnyHashable(NSString)` equal to the `AnyHashable` of the same `String`, as on Apple's platforms.
///
/// Without this conformance, `dictionary[kSecAttrAccount]` finds nothing in an `[AnyHashable: Any]` whose keys are
/// strings. A query in a `[String: AnyHashable]` would differ from the intended one.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
    /// The same text as a Swift `String` in an `AnyHashable`.
    public func _toCustomAnyHashable() -> AnyHashable? {
        AnyHashable(String(self))
    }
}
