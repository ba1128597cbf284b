import CChatelaine
import CertificateReading
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import CodeSignatures
import DaemonOptions
import Glibc
import Sandbox
import ServerIPC
import SystemCalls
import TrustEvaluation
import TrustProtocol

/// Forks a worker for each question about signatures or certificates of strangers, which says what it found, and ends.
///
/// securityd's helper starts it with one end of a socket pair, over which orders come and nothing of a stranger's. A worker shuts itself in before
/// it reads the first byte: what takes it over has this one question, and may answer it wrongly.
@main
enum Trustd {
    /// Where the channel to securityd is, and in a worker its own.
    private static let channel: Int32 = 3
    /// As many as securityd has at one time, the one that waits included, and as many that were killed and are not gone yet.
    private static let mostWorkers = 2 * TrustWire.maximumWorkers
    /// How long a question may take to arrive once it began, and an answer to be read; who started this ends it after as long.
    private static let seconds = 5
    /// How long a worker waits before it makes itself ready, in milliseconds: longer than it takes from one question of a program to the next.
    private static let stillness: Int32 = 5
    private static let usageStatus: Int32 = 2
    private static let log = Log(program: "trustd")

    static func main() {
        let confinement: WorkerConfinement
        do throws(KeychainError) {
            guard try mayStart(CommandLine.arguments.dropFirst()) else { return }
            _ = ClosedEnvironment.apply()
            confinement = try shutIn()
        } catch {
            log.error(error.reason)
            exit(error.status == .param ? usageStatus : 1)
        }
        // Before the first question: what the language and libraries make at first use is not made anew by each worker.
        TrustReply.warmUp()
        var workers = ForkedWorkers("trustd-worker", most: mostWorkers)
        ForkServer(
            descriptor: channel, start: { workers.start { work($0, confinement) } }, end: { workers.end($0) },
            close: { close($0) }
        ).serve()
        workers.endAll()
    }

    private static func work(_ channel: Int32, _ confinement: WorkerConfinement) {
        guard ResourceLimit.fewSeconds.apply() else { return }
        _ = confinement.apply()
        // Whoever asked hears by the channel that there is no answer.
        try? answer(on: channel)
    }

    /// False where something was printed instead.
    private static func mayStart(_ words: some Sequence<String>) throws(KeychainError) -> Bool {
        for word in words {
            switch word {
            case DaemonOption.version.name: print("trustd (Chatelaine), protocol \(TrustWire.version)")
            case DaemonOption.help.name:
                print(DaemonOption.usage(of: "trustd", DaemonOption.trustd), terminator: "")
            default: throw KeychainError(.param, "an argument is not understood; see trustd --help")
            }
            return false
        }
        return true
    }

    /// All of it or nothing, as far as the kernel has it: what the kernel or a container does not offer is done without, as in all our processes.
    private static func shutIn() throws(KeychainError) -> WorkerConfinement {
        var status = stat()
        guard fstat(channel, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw KeychainError(.param, "securityd starts trustd with a channel, and nobody else does")
        }
        CrashHandlers.remove()
        guard chatelaine_end_with_parent() == 0 else {
            throw KeychainError(system: errno, "asking to end with the parent")
        }
        guard fcntl(channel, F_SETFD, FD_CLOEXEC) >= 0, chatelaine_reserve_standard_descriptors() >= 0 else {
            throw KeychainError(system: errno, "the descriptors of trustd")
        }
        chatelaine_close_from(channel + 1)
        if let failure = ProcessHardening.apply(.trust).first { throw KeychainError(.notAvailable, failure) }
        return WorkerConfinement(over: Confinement.forkServer().apply())
    }

    private static func answer(on channel: Int32) throws {
        let channel = FrameChannel(descriptor: channel)
        // A forked process has its memory copied page by page as it writes there, and its code mapped as it runs. Most have time for that before
        // their question comes; where one comes after the other, it would take the processor from the next.
        if !channel.hasInput(within: stillness) { TrustReply.warmUp { !channel.hasInput() } }
        // The question may come much later: securityd keeps one of us ready. It hears of its end.
        channel.setPatience(seconds: seconds)
        let request = try channel.withFrame(limit: TrustWire.maximumRequestBytes) { frame, descriptors in
            guard descriptors.count == 0 else { throw FrameError.unexpected }
            return try TrustRequest(frame: frame)
        }
        let reply = TrustReply(to: request)
        channel.setDeadline(seconds: seconds)
        try channel.send { reply.encode(to: &$0) }
    }
}
