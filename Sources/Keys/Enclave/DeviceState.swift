import ChatelaineModel

/// Which protection classes can be used now.
///
/// Without a passcode the device counts as unlocked from the start and stays so.
struct DeviceState: Sendable {
    var hasPasscode = false
    var isUnlocked = true
    var wasUnlocked = true

    /// `errSecAuthFailed` for the passcode class without a passcode, `errSecInteractionNotAllowed` for a class that is
    /// locked (behaviour/protection-classes.md, 5 and 7).
    func check(_ accessibility: Accessibility) throws(KeychainError) {
        let isOpen: Bool
        switch accessibility {
        case .always, .alwaysThisDeviceOnly: isOpen = true
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: isOpen = wasUnlocked
        case .whenUnlocked, .whenUnlockedThisDeviceOnly: isOpen = isUnlocked
        case .whenPasscodeSetThisDeviceOnly:
            guard hasPasscode else {
                throw KeychainError(
                    .authFailed, "items of the class WhenPasscodeSetThisDeviceOnly need a passcode; set one first")
            }
            isOpen = isUnlocked
        }
        guard isOpen else {
            throw KeychainError(
                .interactionNotAllowed, "the protection class \(accessibility.name) is locked; unlock it")
        }
    }
}
