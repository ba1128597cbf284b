import ChatelaineModel

/// What tests and deployments choose about a custodian.
public struct EnclaveSettings: Sendable {
    /// Seals under one key before a new one takes over (NIST SP 800-38D, section 8.3, allows 2^32 with random nonces).
    public var rotationThreshold: UInt64 = 1 << 30
    /// Seals whose reservation is saved at once: one durable write per so many, and so many lost by a crash.
    public var blockSize: UInt64 = 1 << 16
    /// Attempts at the lock of the state folder, 10 ms apart: a killed predecessor takes moments to end.
    public var lockAttempts = 200
    /// Whether the process can be dumped, for the report.
    public var isDumpable: @Sendable () -> Bool = { true }

    public init() {}
}
