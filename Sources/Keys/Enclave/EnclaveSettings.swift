import ChatelaineModel

/// What tests and deployments choose about a custodian.
package struct EnclaveSettings: Sendable {
    /// Seals under one key before a new one takes over (NIST SP 800-38D, section 8.3, allows 2^32 with random nonces).
    package var rotationThreshold: UInt64 = 1 << 30
    /// Seals whose reservation is saved at once: one durable write per so many, and so many lost by a crash.
    package var blockSize: UInt64 = 1 << 16
    /// Attempts at the lock of the state folder, 10 ms apart: a killed predecessor takes moments to end.
    package var lockAttempts = 200
    /// What makes a key of a passcode.
    package var passwordHash = PasswordHash.argon2id
    /// The clock by which tries of a passcode wait.
    package var clock = BootClock.system
    /// Where it learns about biometrics.
    package var biometry: any BiometrySource = NoBiometry()
    /// Who calculates with private keys of rows.
    package var keyWorkers: any KeyCalculating = NoKeyWorkers()
    /// Whether the process can be dumped, for the report.
    package var isDumpable: @Sendable () -> Bool = { true }

    package init() {}
}
