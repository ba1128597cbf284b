import ChatelaineIPC
import ChatelaineModel
import DaemonOptions
import FormatProtocol
import KeyFormats
import Sandbox
import WorkerPrograms

/// Forks a worker for each file of keys and certificates of strangers.
///
/// The worker reads one file, or writes one, and ends. securityd's helper starts formatd with one end of a socket pair,
/// over which only orders come, and no data of a stranger. formatd loads the ciphers once, which was half of the time
/// of an import. A worker enters its sandbox before it reads the first byte. A stranger who takes over a worker has
/// this one file and its passphrase, and can only misreport them.
@main
enum Formatd {
    /// securityd's most workers at one time, and as many that were killed and are not yet gone.
    private static let mostWorkers = 2 * FormatWire.maximumWorkers
    /// The seconds for one file; the helper kills the process after the same time.
    ///
    /// The slowest file that is accepted takes half of them.
    private static let seconds = 20
    /// The milliseconds without a file after which formatd ends: longer than a worker works, and than a person takes
    /// from one file to the next.
    private static let idle: Int32 = 60_000
    private static let program = WorkerProgram("formatd", version: FormatWire.version, DaemonOption.formatd, .format)

    static func main() {
        FreedMemory.startAgainIfNeeded()
        guard program.begin({ () throws(KeychainError) in try KeyFormats.start() }) else { return }
        program.forkWorkers(
            most: mostWorkers, idle: idle,
            limiting: { ResourceLimit.secondsOfFile.apply() },
            // The caller learns from the closed channel that there is no answer.
            { try? answer(on: $0) })
    }

    private static func answer(on channel: Int32) throws {
        let channel = FrameChannel(descriptor: channel)
        channel.setDeadline(seconds: seconds)
        let request = try channel.withFrame(limit: FormatWire.maximumRequestBytes) { frame, descriptors in
            guard descriptors.count == 0 else { throw FrameError.unexpected }
            return try FormatRequest(frame: frame)
        }
        let reply = FormatReply(to: request)
        try channel.send { reply.encode(to: &$0) }
    }
}

extension FormatReply {
    init(to request: FormatRequest) {
        do throws(FormatFailure) {
            switch request {
            case .read(let file): self = .content(try FormatReader.read(file))
            case .write(let order): self = .file(try FormatWriter.write(order))
            case .readMessage(let message): self = .message(try CMSReader.read(message))
            case .writeMessage(let order): self = .file(try CMSWriter.write(order))
            }
        } catch {
            self = .failure(error)
        }
    }
}
