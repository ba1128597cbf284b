import ChatelaineModel

/// Protection classes as words of the command line.
enum AccessibilityWord {
    static func name(of accessibility: Accessibility) -> String {
        switch accessibility {
        case .whenUnlocked: "when-unlocked"
        case .afterFirstUnlock: "after-first-unlock"
        case .always: "always"
        case .whenUnlockedThisDeviceOnly: "when-unlocked-this-device-only"
        case .afterFirstUnlockThisDeviceOnly: "after-first-unlock-this-device-only"
        case .alwaysThisDeviceOnly: "always-this-device-only"
        case .whenPasscodeSetThisDeviceOnly: "when-passcode-set-this-device-only"
        }
    }

    /// The string that stands for the class in a dictionary; a word that is none goes there as it is, to be refused.
    static func stored(_ word: String) -> String {
        Accessibility.allCases.first { name(of: $0) == word }?.name ?? word
    }
}
