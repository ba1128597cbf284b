import ChatelaineIPC

/// What all sessions of a daemon share.
struct Services: Sendable {
    let deployment: Deployment
    let opener: KeychainOpener
    let enclave: EnclaveConnection
    let sandbox: DaemonSandbox
    let census: ConnectionCensus
    let budget: Budget
    let log: Log
    let hasMessagePidfd: Bool
    /// How the daemon came to run: "autostart", "systemd" or "manual".
    let startedBy: String
    /// Seconds of CLOCK_MONOTONIC when it began.
    let startTime: Int
}
