import ChatelaineModel
import CoreFoundation

/// The one version of ``SecKeychainSettings``.
@inlinable public var SEC_KEYCHAIN_SETTINGS_VERS1: Int32 { 1 }

/// When a keychain locks by itself.
public struct SecKeychainSettings {
    /// ``SEC_KEYCHAIN_SETTINGS_VERS1``.
    public var version: UInt32
    /// Whether it locks when the machine goes to sleep.
    public var lockOnSleep: DarwinBoolean
    /// Whether it locks after a time without use.
    public var useLockInterval: DarwinBoolean
    /// That time, in seconds; `Int32.max` or more for none.
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

    /// An interval counts whether `useLockInterval` says so or not, as on macOS; none at all without it is never.
    package func read() throws(KeychainError) -> KeychainSettings {
        guard version == UInt32(SEC_KEYCHAIN_SETTINGS_VERS1) else {
            throw KeychainError(.wrongSecVersion, "the settings have no version; set it to SEC_KEYCHAIN_SETTINGS_VERS1")
        }
        var settings = KeychainSettings()
        settings.locksOnSleep = lockOnSleep.boolValue
        settings.lockInterval = useLockInterval.boolValue || lockInterval > 0 ? lockInterval : KeychainSettings.never
        return settings
    }
}

/// Tells when a keychain locks by itself; nil is the default one. A person is asked for the password of one that is locked.
///
/// - Returns: `errSecInteractionNotAllowed` where nobody can be asked, `errSecUserCanceled`, `errSecNoSuchKeychain`, `errSecInvalidKeychain`.
@discardableResult
public func SecKeychainCopySettings(
    _ keychain: SecKeychain?, _ outSettings: UnsafeMutablePointer<SecKeychainSettings>
) -> OSStatus {
    CallStatus.of("SecKeychainCopySettings") { () throws(KeychainError) in
        outSettings.pointee = SecKeychainSettings(try KeychainCalls.settings(of: keychain))
    }
}

/// Sets when a keychain locks by itself, and begins its time anew; nil is the default one. A person is asked for the
/// password of one that is locked.
///
/// - Returns: as ``SecKeychainCopySettings(_:_:)``; `errSecWrongSecVersion` for settings of no version.
@discardableResult
public func SecKeychainSetSettings(
    _ keychain: SecKeychain?, _ newSettings: UnsafePointer<SecKeychainSettings>
) -> OSStatus {
    CallStatus.of("SecKeychainSetSettings") { () throws(KeychainError) in
        try KeychainCalls.set(try newSettings.pointee.read(), of: keychain)
    }
}
