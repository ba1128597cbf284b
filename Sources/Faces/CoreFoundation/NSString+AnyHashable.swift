import Foundation

/// Makes `AnyHashable(NSString)` equal to the `AnyHashable` of the same `String`, as on Apple's platforms.
///
/// Without it `dictionary[kSecAttrAccount]` finds nothing in an `[AnyHashable: Any]` whose keys are strings, and a
/// query in a `[String: AnyHashable]` differs from the one that was meant.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
    /// The same text as a Swift `String` in an `AnyHashable`.
    public func _toCustomAnyHashable() -> AnyHashable? {
        AnyHashable(String(self))
    }
}
