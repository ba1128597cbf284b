import ChatelaineModel
import EnclaveProtocol

/// The lock state of one keybag, which determines the usable protection classes.
///
/// Without a passcode the device counts as unlocked from the start and stays so.
struct DeviceState: Sendable {
    var hasPasscode = false
    var lock = LockState.unlocked

    /// The state of a keybag that is opened: everything that a passcode protects is locked, even if an earlier process
    /// had unlocked it.
    init(hasPasscode: Bool) {
        self.hasPasscode = hasPasscode
        lock = hasPasscode ? .beforeFirstUnlock : .unlocked
    }

    /// Whether the keys of a class are available.
    func opens(_ accessibility: Accessibility) -> Bool {
        switch accessibility {
        case .always, .alwaysThisDeviceOnly: true
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: lock != .beforeFirstUnlock
        case .whenUnlocked, .whenUnlockedThisDeviceOnly: lock == .unlocked
        case .whenPasscodeSetThisDeviceOnly: hasPasscode && lock == .unlocked
        }
    }

    /// Throws unless the keys of a class are available.
    ///
    /// - Throws: `errSecAuthFailed` for the passcode class without a passcode; `errSecInteractionNotAllowed` for a
    ///   locked class (behaviour/protection-classes.md, 5 and 7).
    func check(_ accessibility: Accessibility) throws(KeychainError) {
        guard !opens(accessibility) else { return }
        guard hasPasscode else {
            throw KeychainError(
                .authFailed, "items of the class WhenPasscodeSetThisDeviceOnly need a passcode; set one first")
        }
        throw KeychainError(
            cause: .locked, "items of the class \(accessibility) are locked; unlock them by “security unlock”")
    }
}

extension Accessibility {
    /// Whether a passcode protects the class.
    ///
    /// Items of the other classes must be available at any time.
    var isProtectedByPasscode: Bool {
        switch self {
        case .always, .alwaysThisDeviceOnly: false
        case .whenUnlocked, .whenUnlockedThisDeviceOnly, .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly,
            .whenPasscodeSetThisDeviceOnly:
            true
        }
    }
}
