import CertificateReading
import ChatelaineIPC
import ChatelaineModel
import CodeSignatures
import DaemonOptions
import Glibc
import Sandbox
import ServerIPC
import ChatelaineSystem
import SystemCalls
import TrustEvaluation
import TrustProtocol
import WorkerPrograms

/// Forks a worker for each question about signatures or certificates of strangers, which says what it found, and ends.
///
/// securityd's helper starts it with one end of a socket pair, over which orders come and nothing of a stranger's. A worker shuts itself in before
/// it reads the first byte: what takes it over has this one question, and may answer it wrongly.
@main
enum Trustd {
    /// As many as securityd has at one time, the one that waits included, and as many that were killed and are not gone yet.
    private static let mostWorkers = 2 * TrustWire.maximumWorkers
    /// How long a question may take to arrive once it began, and an answer to be read; who started this ends it after as long.
    private static let seconds = 5
    /// How long a worker waits before it makes itself ready, in milliseconds: longer than it takes from one question of a program to the next.
    private static let stillness: Int32 = 5
    private static let program = WorkerProgram("trustd", version: TrustWire.version, DaemonOption.trustd, .trust)

    static func main() {
        guard program.begin() else { return }
        let confinement = WorkerConfinement(over: Confinement.forkServer().apply())
        // Before the first question: what the language and libraries make at first use is not made anew by each worker.
        TrustReply.warmUp()
        var workers = ForkedWorkers("trustd-worker", most: mostWorkers)
        ForkServer(
            descriptor: WorkerProgram.channel, start: { workers.start { work($0, confinement) } },
            end: { workers.end($0) },
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
