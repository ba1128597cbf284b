import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import Glibc
import Sandbox

/// Hardens the process before it touches a key.
///
/// If one step fails, the process ends.
enum Hardening {
    /// The first descriptor of the channels: the custodian's own channel, then those to other processes.
    private static let channelDescriptor: Int32 = 3

    /// Hardens the process and moves the channels to the descriptors from 3 on, the only ones left besides the standard
    /// ones.
    ///
    /// Returns their new numbers.
    ///
    /// - Throws: `errSecNotAvailable` with the step that failed, `errSecParam` if a channel is not open.
    static func apply(channels: [Int32]) throws(KeychainError) -> [Int32] {
        if let failure = ProcessHardening.apply(.custodian).first { throw KeychainError(.notAvailable, failure) }
        // A parent that ended earlier has closed its end of the channel, which ends this process too.
        try require(chatelaine_end_with_parent(), "asking to end with the parent")
        CrashHandlers.remove()
        try keepOnly(channels)
        // Nothing here reads the environment; clearing it keeps libraries from reading it.
        try require(clearenv(), "clearing the environment")
        return channels.indices.map { channelDescriptor + Int32($0) }
    }

    private static func keepOnly(_ channels: [Int32]) throws(KeychainError) {
        var copies: [Int32] = []
        for channel in channels {
            // Above the final numbers, so that no move overwrites a channel.
            copies.append(fcntl(channel, F_DUPFD_CLOEXEC, channelDescriptor + Int32(channels.count)))
            guard let copy = copies.last, copy >= 0 else {
                throw KeychainError(
                    .param, "descriptor \(channel) is not open; securityd starts enclaved with a channel")
            }
        }
        for (place, copy) in zip(channelDescriptor..., copies) {
            try require(dup2(copy, place), "moving a channel")
            try require(fcntl(place, F_SETFD, FD_CLOEXEC), "closing a channel on exec")
        }
        chatelaine_close_from(channelDescriptor + Int32(channels.count))
        // A key file must never be opened as standard output.
        try require(chatelaine_reserve_standard_descriptors(), "opening /dev/null in place of closed descriptors")
    }

    private static func require(_ result: Int32, _ step: String) throws(KeychainError) {
        guard result >= 0 else { throw KeychainError(system: errno, "\(step) failed") }
    }
}
