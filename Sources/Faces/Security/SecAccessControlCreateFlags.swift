import CoreFoundation

/// What using an item needs besides its protection class; for ``SecAccessControlCreateWithFlags(_:_:_:_:)``.
public struct SecAccessControlCreateFlags: OptionSet, @unchecked Sendable {
    public let rawValue: CFOptionFlags

    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    /// The device's owner: a biometric that is enrolled, or the passcode.
    public static var userPresence: SecAccessControlCreateFlags { .init(rawValue: 1 << 0) }

    /// A biometric that is enrolled, also one that is enrolled later.
    public static var biometryAny: SecAccessControlCreateFlags { .init(rawValue: 1 << 1) }

    /// The former name of ``biometryAny``.
    @available(*, deprecated, renamed: "biometryAny")
    public static var touchIDAny: SecAccessControlCreateFlags { .init(rawValue: 1 << 1) }

    /// A biometric, as long as those are enrolled that were when the item was stored.
    public static var biometryCurrentSet: SecAccessControlCreateFlags { .init(rawValue: 1 << 3) }

    /// The former name of ``biometryCurrentSet``.
    @available(*, deprecated, renamed: "biometryCurrentSet")
    public static var touchIDCurrentSet: SecAccessControlCreateFlags { .init(rawValue: 1 << 3) }

    /// The passcode.
    public static var devicePasscode: SecAccessControlCreateFlags { .init(rawValue: 1 << 4) }

    /// The former name of ``companion``.
    @available(*, deprecated, renamed: "companion")
    public static var watch: SecAccessControlCreateFlags { .init(rawValue: 1 << 5) }

    /// A device nearby.
    public static var companion: SecAccessControlCreateFlags { .init(rawValue: 1 << 5) }

    /// One of the constraints is enough.
    public static var or: SecAccessControlCreateFlags { .init(rawValue: 1 << 14) }

    /// All constraints have to be satisfied.
    public static var and: SecAccessControlCreateFlags { .init(rawValue: 1 << 15) }

    /// The constraints are on what is done with a private key.
    public static var privateKeyUsage: SecAccessControlCreateFlags { .init(rawValue: 1 << 30) }

    /// A password of the program's own, under which the item is encrypted as well.
    public static var applicationPassword: SecAccessControlCreateFlags { .init(rawValue: 1 << 31) }
}
