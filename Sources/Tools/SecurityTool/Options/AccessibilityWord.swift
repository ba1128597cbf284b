import ChatelaineModel

/// Writes protection classes as words of the command line.
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

    /// The string of the class in dictionaries, from its word or from that string itself.
    static func stored(_ word: String) throws(ToolError) -> String {
        if let match = Accessibility.allCases.first(where: { name(of: $0) == word || $0.name == word }) {
            return match.name
        }
        throw .usage("accessible is one of " + Accessibility.allCases.map(name).joined(separator: ", "))
    }
}
