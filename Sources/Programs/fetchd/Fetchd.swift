import CChatelaine
import CFetch
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import DaemonOptions
import FetchProtocol
import Glibc
import Sandbox
import SystemCalls

/// The process that asks one server that a certificate names, and ends.
///
/// It is started with one end of a socket pair, and shuts itself in before it reads the first byte: what takes it over has the network, and no
/// file of the user's.
@main
enum Fetchd {
    /// Where the channel to securityd is.
    private static let channel: Int32 = 3
    /// Beyond the longest fetch, for the question and the answer.
    private static let seconds = FetchLimits.maximumSeconds + 5
    private static let usageStatus: Int32 = 2
    private static let log = Log(program: "fetchd")

    static func main() {
        FreedMemory.startAgainIfNeeded()
        do throws(KeychainError) {
            guard try mayStart(CommandLine.arguments.dropFirst()) else { return }
            _ = ClosedEnvironment.apply()
            guard chatelaine_fetch_start() == 0 else {
                throw KeychainError(.notAvailable, "libcurl cannot be made ready")
            }
            try shutIn()
        } catch {
            log.error(error.reason)
            exit(error.status == .param ? usageStatus : 1)
        }
        // Whoever asked hears by the channel that there is no answer.
        do { try answer() } catch { exit(1) }
    }

    /// False where something was printed instead.
    private static func mayStart(_ words: some Sequence<String>) throws(KeychainError) -> Bool {
        for word in words {
            switch word {
            case DaemonOption.version.name: print("fetchd (Chatelaine), protocol \(FetchWire.version)")
            case DaemonOption.help.name:
                print(DaemonOption.usage(of: "fetchd", DaemonOption.fetchd), terminator: "")
            default: throw KeychainError(.param, "an argument is not understood; see fetchd --help")
            }
            return false
        }
        var status = stat()
        guard fstat(channel, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw KeychainError(.param, "securityd starts fetchd with a channel, and nobody else does")
        }
        return true
    }

    /// All of it or nothing, as far as the kernel has it: what the kernel or a container does not offer is done without, as in all our processes.
    private static func shutIn() throws(KeychainError) {
        CrashHandlers.remove()
        guard chatelaine_end_with_parent() == 0 else {
            throw KeychainError(system: errno, "asking to end with the parent")
        }
        guard fcntl(channel, F_SETFD, FD_CLOEXEC) >= 0, chatelaine_reserve_standard_descriptors() >= 0 else {
            throw KeychainError(system: errno, "the descriptors of fetchd")
        }
        chatelaine_close_from(channel + 1)
        if let failure = ProcessHardening.apply(.fetch).first { throw KeychainError(.notAvailable, failure) }
        _ = Confinement.fetches().apply()
    }

    private static func answer() throws {
        let channel = FrameChannel(descriptor: channel)
        channel.setDeadline(seconds: seconds)
        let request = try channel.withFrame(limit: FetchWire.maximumRequestBytes) { frame, descriptors in
            guard descriptors.count == 0 else { throw FrameError.unexpected }
            return try FetchRequest(frame: frame)
        }
        let reply = FetchReply(to: request)
        try channel.send { reply.encode(to: &$0) }
    }
}
