import CFetch
import ChatelaineIPC
import ChatelaineModel
import DaemonOptions
import FetchProtocol
import Glibc
import Sandbox
import WorkerPrograms

/// Asks one server that a certificate names, and ends.
///
/// It starts with one end of a socket pair, and enters its sandbox before it reads the first byte. A stranger who takes
/// it over has the network, and no file of the user.
@main
enum Fetchd {
    /// Longer than the longest fetch, with time for the question and the answer.
    private static let seconds = FetchLimits.maximumSeconds + 5
    private static let program = WorkerProgram("fetchd", version: FetchWire.version, DaemonOption.fetchd, .fetch)

    static func main() {
        FreedMemory.startAgainIfNeeded()
        let isToWork = program.begin { () throws(KeychainError) in
            guard chatelaine_fetch_start() == 0 else {
                throw KeychainError(.notAvailable, "libcurl cannot be made ready")
            }
        }
        guard isToWork else { return }
        _ = Confinement.fetches().apply()
        // The caller learns from the closed channel that there is no answer.
        do { try answer() } catch { exit(1) }
    }

    private static func answer() throws {
        let channel = FrameChannel(descriptor: WorkerProgram.channel)
        channel.setDeadline(seconds: seconds)
        let request = try channel.withFrame(limit: FetchWire.maximumRequestBytes) { frame, descriptors in
            guard descriptors.count == 0 else { throw FrameError.unexpected }
            return try FetchRequest(frame: frame)
        }
        let reply = FetchReply(to: request)
        try channel.send { reply.encode(to: &$0) }
    }
}
