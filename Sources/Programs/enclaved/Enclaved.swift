import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Enclave
import EnclaveProtocol
import Glibc
import Sandbox
import SystemCalls

/// The key custodian's process: it reads arguments, hardens itself and opens channels.
///
/// The module `Enclave` does the work. securityd starts it with one end of a socket pair. It serves that channel and
/// those opened through it, each on its own thread, until the first channel ends. It touches no secret before
/// ``Hardening`` is complete, and ends if a part of that fails. Then it enters the sandbox with its state folder
/// (module `Sandbox`), as far as the kernel supports that. The report lists what the kernel does not support.
@main
enum Enclaved {
    /// Messages go to standard error, which securityd or the service manager collects.
    static let log = Log(program: "enclaved")

    static func main() {
        do throws(KeychainError) {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.showsVersion {
                print("enclaved (Chatelaine), protocol \(EnclaveWire.version), keybags up to \(Enclave.keybagVersion)")
                return
            }
            if arguments.showsHelp {
                print(Arguments.usage, terminator: "")
                return
            }
            _ = ClosedEnvironment.apply()
            FreedMemory.startAgainIfNeeded()
            let others = [arguments.matcher, arguments.keyWorker]
            var channels = try Hardening.apply(channels: [arguments.channel] + others.compactMap(\.self))[...]
            let channel = channels.removeFirst()
            let matcher = arguments.matcher.flatMap { _ in channels.popFirst() }
            let keyWorker = arguments.keyWorker.flatMap { _ in channels.popFirst() }
            SecretArena.lockPages()
            // The settings read the identifier of the machine's start, which the sandbox forbids later.
            var settings = EnclaveSettings()
            settings.isDumpable = { chatelaine_is_dumpable() != 0 }
            var surroundings = surroundings(ConfinedFolder(arguments.stateFolder))
            // It runs on a second thread.
            let reader = matcher.flatMap { FingerprintReader(channel: $0) { log.warning($0) } }
            if let reader { settings.biometry = reader }
            if let keyWorker {
                // Without keyd, this process could use no key for the rest of its life. The next process gets a new
                // keyd.
                let end = surroundings.end
                settings.keyWorkers = KeyWorkers(channel: keyWorker) {
                    end("keyd has ended: a new enclaved gets another")
                }
            }
            let enclave = Enclave(stateFolder: arguments.stateFolder, settings: settings)
            surroundings.hadPasscode = { enclave.hadPasscode }
            let server = ChannelServer(surroundings) { enclave }
            server.run(first: channel)
            // Reached if the first channel was refused. The other channels live on, and the last one ends the process.
            while true { pause() }
        } catch {
            Self.log.error(error.reason)
            exit(error.status == .param ? Arguments.usageStatus : 1)
        }
    }

    private static func surroundings(_ folder: ConfinedFolder) -> ChannelServer.Surroundings {
        var surroundings = ChannelServer.Surroundings()
        surroundings.sandbox = {
            folder.record.states.map { SandboxFact(name: $0.name, level: $0.level.rawValue, detail: $0.detail) }
        }
        surroundings.isInPlace = { folder.isInPlace }
        surroundings.warn = { log.warning($0) }
        surroundings.end = { reason in
            if let reason { log.notice(reason) }
            _exit(0)
        }
        return surroundings
    }
}
