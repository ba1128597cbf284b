import AgentDialogs
import AgentProtocol
import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import DaemonOptions
import Glibc
import Sandbox
import SystemCalls

/// Shows one dialog for securityd: it reads arguments, hardens itself and prepares the environment.
///
/// The module `AgentDialogs` does the rest. securityd starts it with one end of a socket pair. It listens on no
/// address. Any other program that starts it gets only a dialog that it describes itself, as pinentry gives anybody.
@main
enum SecurityAgent {
    /// The descriptor of the channel to securityd.
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

    /// The path of the pinentry; nil if the version or the help was printed instead.
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

    /// Hardens the process. If one step fails, the process ends, so that no passphrase is read by a half-hardened
    /// process.
    private static func harden() throws(KeychainError) {
        var status = stat()
        guard fstat(channel, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw KeychainError(.param, "securityd starts security-agent with a channel, and nobody else does")
        }
        if let failure = ProcessHardening.apply(.dialogs).first { throw KeychainError(.notAvailable, failure) }
        CrashHandlers.remove()
        // If securityd's helper ends, nobody could end this dialog. securityd learns of the end from the channel.
        guard chatelaine_end_with_parent() == 0 else {
            throw KeychainError(system: errno, "asking to end with the parent")
        }
        guard fcntl(channel, F_SETFD, FD_CLOEXEC) >= 0, chatelaine_reserve_standard_descriptors() >= 0 else {
            throw KeychainError(system: errno, "the descriptors of security-agent")
        }
        chatelaine_close_from(channel + 1)
        // In its own session, no terminal signals the process, and none becomes its controlling terminal.
        setsid()
    }
}
