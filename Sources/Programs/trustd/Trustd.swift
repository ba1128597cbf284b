import CChatelaine
import CertificateReading
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import CodeSignatures
import DaemonOptions
import Glibc
import Sandbox
import SystemCalls
import TrustEvaluation
import TrustProtocol

/// The process that looks at one signature, or at some certificates, of strangers, says what it found, and ends.
///
/// securityd's helper starts it with one end of a socket pair. It shuts itself in before it reads the first byte: what takes it over has
/// this one question, and may answer it wrongly.
@main
enum Trustd {
    /// Where the channel to securityd is.
    private static let channel: Int32 = 3
    /// How long a question may take to arrive once it began, and an answer to be read; who started this ends it after as long.
    private static let seconds = 5
    private static let usageStatus: Int32 = 2
    private static let log = Log(program: "trustd")

    static func main() {
        do throws(KeychainError) {
            guard try mayStart(CommandLine.arguments.dropFirst()) else { return }
            _ = ClosedEnvironment.apply()
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
    private static func shutIn() throws(KeychainError) {
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
        _ = Confinement.trust().apply()
    }

    private static func answer() throws {
        let channel = FrameChannel(descriptor: channel)
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

extension TrustReply {
    init(to request: TrustRequest) {
        let verifier = SignatureVerifier()
        switch request {
        case .signature(let question): self = .verdict(verifier.verify(question))
        case .anchor(let question):
            do throws(KeychainError) { self = .report(try verifier.examine(question)) } catch {
                self = .unsuitable(error.reason)
            }
        case .certificates(let certificates): self = .readings(certificates.map(CertificateReader.read))
        case .evaluation(let trustCase): self = .evaluation(TrustEvaluator.evaluate(trustCase))
        case .bundle(let file): self = .roots(RootBundle.read(file))
        case .names(let names):
            do throws(KeychainError) { self = .names(try CertificateReader.normalize(names)) } catch {
                self = .unsuitable(error.reason)
            }
        }
    }
}
