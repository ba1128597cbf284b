import AgentDialogs
import AgentProtocol
import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import DaemonOptions
import Glibc
import Sandbox
import ChatelaineSystem
import SystemCalls

/// The process that shows one dialog of securityd's: arguments, hardening, environment; the rest is in the module `AgentDialogs`.
///
/// securityd starts it with one end of a socket pair, and nobody else has use for it: whoever starts it with a socket of its own gets
/// what pinentry gives anybody, a dialog that it describes itself. There is no address at which it listens.
@main
enum SecurityAgent {
    /// Where the channel to securityd is.
    private static let channel: Int32 = 3
    private static let usageStatus: Int32 = 2
    private static let log = Log(program: "security-agent")

    static func main() {
        do throws(KeychainError) {
            guard let pinentry = try pinentry(CommandLine.arguments.dropFirst()) else { return }
            _ = ClosedEnvironment.apply()
            FreedMemory.startAgainIfNeeded()
            let environment = PinentryEnvironment(ClosedEnvironment.takeSession())
            try harden()
            SecretArena.lockPages()
            let agent = DialogAgent(
                channel: channel, pinentry: pinentry, environment: environment.variables,
                confine: { _ = Confinement.agent().apply() })
            agent.run()
        } catch {
            log.error(error.reason)
            exit(error.status == .param ? usageStatus : 1)
        }
    }

    /// The path of the pinentry; nil where something was printed instead.
    private static func pinentry(_ words: some Sequence<String>) throws(KeychainError) -> String? {
        var path = PinentryName.standard
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case DaemonOption.version.name:
                print("security-agent (Chatelaine), protocol \(AgentWire.version)")
                return nil
            case DaemonOption.help.name:
                print(DaemonOption.usage(of: "security-agent", DaemonOption.agent), terminator: "")
                return nil
            case DaemonOption.pinentry.name:
                guard let value = words.next(), value.hasPrefix("/") else {
                    throw KeychainError(.param, "\(word) wants an absolute path; see security-agent --help")
                }
                path = value
            default: throw KeychainError(.param, "an argument is not understood; see security-agent --help")
            }
        }
        return path
    }

    /// All of it or nothing: what is typed is not read by a process of which a part failed.
    private static func harden() throws(KeychainError) {
        var status = stat()
        guard fstat(channel, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw KeychainError(.param, "securityd starts security-agent with a channel, and nobody else does")
        }
        if let failure = ProcessHardening.apply(.dialogs).first { throw KeychainError(.notAvailable, failure) }
        CrashHandlers.remove()
        // securityd hears of it by the channel: who starts dialogs is gone, and nobody would end this one.
        guard chatelaine_end_with_parent() == 0 else {
            throw KeychainError(system: errno, "asking to end with the parent")
        }
        guard fcntl(channel, F_SETFD, FD_CLOEXEC) >= 0, chatelaine_reserve_standard_descriptors() >= 0 else {
            throw KeychainError(system: errno, "the descriptors of security-agent")
        }
        chatelaine_close_from(channel + 1)
        // In a session of its own no terminal signals it, and none becomes its own.
        setsid()
    }
}
