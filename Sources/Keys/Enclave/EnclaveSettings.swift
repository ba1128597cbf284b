import ChatelaineModel

/// The settings of a custodian, chosen by tests and deployments.
package struct EnclaveSettings: Sendable {
    /// Seals under one key before a new one takes over (NIST SP 800-38D, section 8.3, allows 2^32 with random nonces).
    package var rotationThreshold: UInt64 = 1 << 30
    /// Seals reserved with one durable write.
    ///
    /// A crash loses at most so many.
    package var blockSize: UInt64 = 1 << 16
    /// Attempts to lock the state folder, 10 ms apart, because a killed predecessor takes moments to end.
    package var lockAttempts = 200
    /// Derives a key from a passcode.
    package var passwordHash = PasswordHash.argon2id
    /// The clock that measures the delays between passcode tries.
    package var clock = BootClock.system
    /// The source of biometric facts.
    package var biometry: any BiometrySource = NoBiometry()
    /// The workers that calculate with private keys of rows.
    package var keyWorkers: any KeyCalculating = NoKeyWorkers()
    /// Whether the process can be dumped; for the report.
    package var isDumpable: @Sendable () -> Bool = { true }

    package init() {}
}
