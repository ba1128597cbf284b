// The words of reports (`Documentation/formats/wire.md`), which never change.

/// What became of the passcode with which securityd was started.
package enum CredentialOutcome: String, CaseIterable, Sendable {
    case unlocked = "unlocked"
    case wrong = "wrong"
    /// The custodian did not look at the passcode, since there were too many wrong tries.
    case delayed = "delayed"
    case noPasscode = "no-passcode"
    /// The credential cannot be read, or there is no keychain.
    case unusable = "unusable"
}

/// How securityd came to run.
package enum DaemonStart: String, CaseIterable, Sendable {
    /// A client started it.
    case autostart = "autostart"
    case systemd = "systemd"
    case manual = "manual"
}

/// Whether a keychain besides the default one is open.
package enum KeychainPresence: String, CaseIterable, Sendable {
    case open = "open"
    case notOpen = "not open"
}

/// Whether the kernel says with each message which process sent it.
package enum MessagePidfd: String, CaseIterable, Sendable {
    case perMessage = "per-message"
    case degraded = "degraded"
}

/// Whether there is a passcode.
package enum PasscodePresence: String, CaseIterable, Sendable {
    case set = "set"
    case none = "none"
}
