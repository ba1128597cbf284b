import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import Glibc
import Sandbox

/// What the process gives up before it touches a key. All of it or nothing: a step that fails ends the process.
enum Hardening {
    /// Where the channel is from then on.
    private static let channelDescriptor: Int32 = 3

    /// Hardens the process and moves the channel to descriptor 3, the only one left besides the standard ones.
    ///
    /// - Throws: `errSecNotAvailable` with the step that failed, `errSecParam` if `channel` is not open.
    static func apply(channel: Int32) throws(KeychainError) -> Int32 {
        if let failure = ProcessHardening.apply(.custodian).first { throw KeychainError(.notAvailable, failure) }
        // If the parent has gone already, the end of the channel says so.
        try require(chatelaine_end_with_parent(), "asking to end with the parent")
        CrashHandlers.remove()
        try keepOnly(channel)
        // Nothing here reads the environment; what a library might read of it is gone.
        try require(clearenv(), "clearing the environment")
        return channelDescriptor
    }

    private static func keepOnly(_ channel: Int32) throws(KeychainError) {
        guard fcntl(channel, F_GETFD) >= 0 else {
            throw KeychainError(.param, "descriptor \(channel) is not open; securityd starts enclaved with a channel")
        }
        if channel != channelDescriptor { try require(dup2(channel, channelDescriptor), "moving the channel") }
        try require(fcntl(channelDescriptor, F_SETFD, FD_CLOEXEC), "closing the channel on exec")
        chatelaine_close_from(channelDescriptor + 1)
        // A key file must never be opened as standard output.
        try require(chatelaine_reserve_standard_descriptors(), "opening /dev/null in place of closed descriptors")
    }

    private static func require(_ result: Int32, _ step: String) throws(KeychainError) {
        guard result >= 0 else { throw KeychainError(system: errno, "\(step) failed") }
    }
}
