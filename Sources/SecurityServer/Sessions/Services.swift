import ChatelaineIPC
import Glibc
import ServerIPC
import SystemCalls

/// What all sessions of a daemon share.
struct Services: Sendable {
    let deployment: Deployment
    /// The one user who is served.
    let user: uid_t
    let opener: KeychainOpener
    let enclave: EnclaveConnection
    let sandbox: DaemonSandbox
    let census: ConnectionCensus
    let closers: Closers
    /// Memory for large requests.
    let intake: Budget
    /// Memory for large answers.
    let output: Budget
    let log: Log
    let refusals: Refusals
    let hasMessagePidfd: Bool
    /// How the daemon came to run: "autostart", "systemd" or "manual".
    let startedBy: String
    /// Seconds of CLOCK_MONOTONIC when it began.
    let startTime: Int
}
