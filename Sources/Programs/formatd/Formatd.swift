import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import DaemonOptions
import FormatProtocol
import Glibc
import KeyFormats
import Sandbox
import SystemCalls

/// The process that reads one file of keys and certificates of a stranger's, or writes one, and ends.
///
/// securityd's helper starts it with one end of a socket pair. It loads the ciphers and shuts itself in before it reads the first byte: what
/// takes it over has this one file and its passphrase, and may say what it likes of them.
@main
enum Formatd {
    /// Where the channel to securityd is.
    private static let channel: Int32 = 3
    /// The slowest file that is admitted takes half of it; who started this ends it after as long.
    private static let seconds = 20
    private static let usageStatus: Int32 = 2
    private static let log = Log(program: "formatd")

    static func main() {
        FreedMemory.startAgainIfNeeded()
        do throws(KeychainError) {
            guard try mayStart(CommandLine.arguments.dropFirst()) else { return }
            _ = ClosedEnvironment.apply()
            try KeyFormats.start()
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
            case DaemonOption.version.name: print("formatd (Chatelaine), protocol \(FormatWire.version)")
            case DaemonOption.help.name:
                print(DaemonOption.usage(of: "formatd", DaemonOption.formatd), terminator: "")
            default: throw KeychainError(.param, "an argument is not understood; see formatd --help")
            }
            return false
        }
        var status = stat()
        guard fstat(channel, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw KeychainError(.param, "securityd starts formatd with a channel, and nobody else does")
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
            throw KeychainError(system: errno, "the descriptors of formatd")
        }
        chatelaine_close_from(channel + 1)
        if let failure = ProcessHardening.apply(.format).first { throw KeychainError(.notAvailable, failure) }
        _ = Confinement.formats().apply()
    }

    private static func answer() throws {
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
