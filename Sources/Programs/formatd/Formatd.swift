import ChatelaineIPC
import ChatelaineModel
import DaemonOptions
import FormatProtocol
import Glibc
import KeyFormats
import Sandbox
import WorkerPrograms

/// Reads one stranger's file of keys and certificates, or writes one, and ends.
///
/// securityd's helper starts it with one end of a socket pair. It loads the ciphers and enters its sandbox before it
/// reads the first byte. A stranger who takes it over has this one file and its passphrase, and can only misreport
/// them.
@main
enum Formatd {
    /// The seconds for one file; the helper kills the process after the same time.
    ///
    /// The slowest file that is accepted takes half of them.
    private static let seconds = 20
    private static let program = WorkerProgram("formatd", version: FormatWire.version, DaemonOption.formatd, .format)

    static func main() {
        FreedMemory.startAgainIfNeeded()
        guard program.begin({ () throws(KeychainError) in try KeyFormats.start() }) else { return }
        _ = Confinement.formats().apply()
        // The caller learns from the closed channel that there is no answer.
        do { try answer() } catch { exit(1) }
    }

    private static func answer() throws {
        let channel = FrameChannel(descriptor: WorkerProgram.channel)
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
