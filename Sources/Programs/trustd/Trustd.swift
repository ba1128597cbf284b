import CertificateReading
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import CodeSignatures
import DaemonOptions
import Sandbox
import TrustEvaluation
import TrustProtocol
import WorkerPrograms

/// Forks a worker for each question about signatures or certificates of strangers.
///
/// The worker answers and ends. After a question about trust it waits for another one of the same purpose. securityd's
/// helper starts it with one end of a socket pair, over which only orders come, and no data of a stranger. A worker
/// enters its sandbox before it reads the first byte. A stranger who takes over a worker can only answer its questions
/// wrongly.
@main
enum Trustd {
    /// securityd's most workers at one time, including the waiting one, and as many that were killed and are not yet
    /// gone.
    private static let mostWorkers = 2 * TrustWire.maximumWorkers
    /// The seconds in which a question that began must arrive, and in which the answer must be read.
    ///
    /// The helper kills the worker after the same time.
    private static let seconds = 5
    /// The milliseconds that a worker waits before it warms up: longer than a program takes from one question to the
    /// next.
    private static let stillness: Int32 = 5
    private static let program = WorkerProgram("trustd", version: TrustWire.version, DaemonOption.trustd, .trust)

    static func main() {
        guard program.begin() else { return }
        program.forkWorkers(
            most: mostWorkers,
            // So that workers do not repeat what the language and libraries set up at first use.
            preparing: { TrustReply.warmUp() },
            limiting: { ResourceLimit.fewSeconds.apply() },
            // The caller learns from the closed channel that there is no answer.
            { try? serve(FrameChannel(descriptor: $0)) })
    }

    private static func serve(_ channel: FrameChannel) throws {
        // A forked process copies its memory page by page as it writes, and maps its code as it runs. Most workers have
        // time for that before their question comes. When questions come in quick succession, the warm-up would take
        // the processor from the next one.
        if !channel.hasInput(within: stillness) { TrustReply.warmUp { !channel.hasInput() } }
        // The question may come much later, because securityd keeps one worker ready. The end of the channel wakes the
        // worker.
        channel.setPatience(seconds: seconds)
        var former: FormerChain?
        while try answer(on: channel, after: &former) {}
    }

    /// Answers one question; returns whether another one may follow.
    ///
    /// securityd sends another one only for the same program and purpose, and ends the worker soon.
    private static func answer(on channel: FrameChannel, after former: inout FormerChain?) throws -> Bool {
        let request = try channel.withFrame(limit: TrustWire.maximumRequestBytes) { frame, descriptors in
            guard descriptors.count == 0 else { throw FrameError.unexpected }
            return try TrustRequest(frame: frame)
        }
        let reply = TrustReply(to: request, after: &former)
        channel.setDeadline(seconds: seconds)
        try channel.send { reply.encode(to: &$0) }
        channel.setDeadline(seconds: nil)
        if case .evaluation = request { return true }
        return false
    }
}
