import ChatelaineModel
import CoreFoundation

/// The only version of ``SecKeychainSettings``.
@inlinable public var SEC_KEYCHAIN_SETTINGS_VERS1: Int32 { 1 }

/// The rules by which a keychain locks by itself.
public struct SecKeychainSettings {
    /// ``SEC_KEYCHAIN_SETTINGS_VERS1``.
    public var version: UInt32
    /// Whether the keychain locks when the machine goes to sleep.
    public var lockOnSleep: DarwinBoolean
    /// Whether the keychain locks after a time without use.
    public var useLockInterval: DarwinBoolean
    /// The time without use, in seconds; `Int32.max` or more means never.
    public var lockInterval: UInt32

    public init() { self.init(version: 0, lockOnSleep: false, useLockInterval: false, lockInterval: 0) }

    public init(
        version: UInt32, lockOnSleep: DarwinBoolean, useLockInterval: DarwinBoolean, lockInterval: UInt32
    ) {
        (self.version, self.lockInterval) = (version, lockInterval)
        (self.lockOnSleep, self.useLockInterval) = (lockOnSleep, useLockInterval)
    }
}

extension SecKeychainSettings {
    package init(_ settings: KeychainSettings) {
        self.init(
            version: UInt32(SEC_KEYCHAIN_SETTINGS_VERS1), lockOnSleep: DarwinBoolean(settings.locksOnSleep),
            useLockInterval: DarwinBoolean(settings.seconds != nil), lockInterval: settings.lockInterval)
    }

    /// Converts the settings to the model's.
    ///
    /// As on macOS, a nonzero interval counts even where `useLockInterval` is false. An interval of 0 without
    /// `useLockInterval` means never. Settings of another version say nothing.
    package func read() -> KeychainSettings? {
        guard version == UInt32(SEC_KEYCHAIN_SETTINGS_VERS1) else { return nil }
        var settings = KeychainSettings()
        settings.locksOnSleep = lockOnSleep.boolValue
        settings.lockInterval = useLockInterval.boolValue || lockInterval > 0 ? lockInterval : KeychainSettings.never
        return settings
    }
}

/// Returns the rules by which a keychain locks by itself; nil means the default keychain.
///
/// A person is asked for the password of a locked keychain.
///
/// - Returns: `errSecInteractionNotAllowed` where nobody can be asked, `errSecUserCanceled`, `errSecNoSuchKeychain`,
///   `errSecInvalidKeychain`.
@discardableResult
public func SecKeychainCopySettings(
    _ keychain: SecKeychain?, _ outSettings: UnsafeMutablePointer<SecKeychainSettings>
) -> OSStatus {
    CallStatus.of("SecKeychainCopySettings") { () throws(KeychainError) in
        outSettings.pointee = SecKeychainSettings(try KeychainCalls.settings(of: keychain))
    }
}

/// Sets the rules by which a keychain locks by itself, and restarts its interval; nil means the default keychain.
///
/// A person is asked for the password of a locked keychain.
///
/// As on macOS, settings of another version than ``SEC_KEYCHAIN_SETTINGS_VERS1`` change nothing.
///
/// - Returns: as ``SecKeychainCopySettings(_:_:)``.
@discardableResult
public func SecKeychainSetSettings(
    _ keychain: SecKeychain?, _ newSettings: UnsafePointer<SecKeychainSettings>
) -> OSStatus {
    CallStatus.of("SecKeychainSetSettings") { () throws(KeychainError) in
        guard let settings = newSettings.pointee.read() else { return }
        try KeychainCalls.set(settings, of: keychain)
    }
}
