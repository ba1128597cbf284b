import ChatelaineModel
import EnclaveProtocol

/// Which protection classes of one keybag can be used now.
///
/// Without a passcode the device counts as unlocked from the start and stays so.
struct DeviceState: Sendable {
    var hasPasscode = false
    var lock = LockState.unlocked

    /// How it is when a keybag is opened: whoever was there before, nothing is unlocked that a passcode protects.
    init(hasPasscode: Bool) {
        self.hasPasscode = hasPasscode
        lock = hasPasscode ? .beforeFirstUnlock : .unlocked
    }

    /// Whether the keys of a class are there.
    func opens(_ accessibility: Accessibility) -> Bool {
        switch accessibility {
        case .always, .alwaysThisDeviceOnly: true
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: lock != .beforeFirstUnlock
        case .whenUnlocked, .whenUnlockedThisDeviceOnly: lock == .unlocked
        case .whenPasscodeSetThisDeviceOnly: hasPasscode && lock == .unlocked
        }
    }

    /// `errSecAuthFailed` for the passcode class without a passcode, `errSecInteractionNotAllowed` for a class that is
    /// locked (behaviour/protection-classes.md, 5 and 7).
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
    /// Whether a passcode protects it; the other classes are for what has to be there at any time.
    var isProtectedByPasscode: Bool {
        switch self {
        case .always, .alwaysThisDeviceOnly: false
        case .whenUnlocked, .whenUnlockedThisDeviceOnly, .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly,
            .whenPasscodeSetThisDeviceOnly:
            true
        }
    }
}
