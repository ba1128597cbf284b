import ChatelaineIPC
import ChatelaineModel

/// Checks whether the keychain locks with the system, and unlocks as configured.
enum DeviceChecks {
    static func findings(_ report: DaemonReport) -> [Finding] {
        [events(report), credential(report), settings(report)].compactMap { $0 }
    }

    /// Whether logind's events arrive; without a passcode there is nothing to lock, so nothing is degraded.
    private static func events(_ report: DaemonReport) -> Finding? {
        guard let word = DaemonChecks.text(report, "device.events") else { return nil }
        let hasPasscode = DaemonChecks.text(report, "device.passcode") == PasscodePresence.set.rawValue
        let name = "device.events"
        let hearing = SystemHearing(word: word)
        guard hearing != .complete else {
            return Finding(name, .ok, "logind is heard: the keychain locks with a session and before sleep")
        }
        let (text, remedy) =
            switch hearing {
            case .noLibrary:
                ("libsystemd is not here, so that nobody hears what the system says", "install libsystemd0")
            case .noBus:
                ("there is no system bus", "use “security lock” where nothing else locks")
            case .noLogind:
                ("there is no logind on the system bus", "use “security lock” where nothing else locks")
            case .noDelay, .complete, nil:
                (
                    "logind is heard, but does not let sleep be delayed: keys may still be in memory when the machine sleeps",
                    "allow org.freedesktop.login1.inhibit-delay-sleep in polkit"
                )
            }
        return Finding(
            name, hasPasscode ? .degraded : .ok,
            hasPasscode ? text : text + "; there is no passcode, and nothing to lock",
            remedy: hasPasscode ? remedy : "")
    }

    private static func credential(_ report: DaemonReport) -> Finding? {
        guard let word = DaemonChecks.text(report, "device.credential") else { return nil }
        let name = "device.credential"
        let text: String
        switch CredentialOutcome(rawValue: word) {
        case .unlocked:
            return Finding(name, .ok, "the credential chatelaine.passcode unlocked the keychain at the start")
        case .wrong: text = "the passcode in the credential chatelaine.passcode is wrong"
        case .delayed: text = "the credential chatelaine.passcode was not looked at, after too many wrong passcodes"
        case .noPasscode: text = "there is a credential chatelaine.passcode, and no passcode"
        case .unusable, nil: text = "the credential chatelaine.passcode could not be used; the log says why"
        }
        return Finding(
            name, .degraded, text,
            remedy:
                "write exactly the passcode into it, without an end of line, and restart securityd; or: security unlock"
        )
    }

    private static func settings(_ report: DaemonReport) -> Finding? {
        DaemonChecks.text(report, "device.settings").map {
            Finding(
                "device.settings", .degraded, "no idle time-out holds: \($0)",
                remedy: "set one: security settings --idle-lock seconds")
        }
    }
}
