import ChatelaineModel
import Glibc

/// Starts the process of the key custodian and ends it; there is one at a time.
package protocol CustodianLauncher: Sendable {
    /// What it starts, for error messages.
    var program: String { get }

    /// Starts a custodian, after the last one has ended, with `channel` as its first channel; its pid.
    func start(channel: Int32) throws(KeychainError) -> pid_t

    /// Ends the custodian, and waits until it has.
    func end()
}
