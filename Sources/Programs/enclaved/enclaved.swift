import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import Enclave
import EnclaveProtocol
import Glibc
import Sandbox
import ChatelaineSystem
import SystemCalls

/// The key custodian's process: arguments, hardening, channels; the work is done by the module `Enclave`.
///
/// It is started by securityd with one end of a socket pair and serves that channel and those opened through it, a
/// thread for each, until the first one ends. Nothing secret is touched before ``Hardening`` is complete, and if a
/// part of that fails, the process ends. Then it is shut in with its state folder (module `Sandbox`), as far as the kernel
/// can do that; what it cannot is in the report.
@main
enum Enclaved {
    /// What it has to say goes to standard error, which securityd or the service manager collects.
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
            // With the identifier of the machine's start, which cannot be read later.
            var settings = EnclaveSettings()
            settings.isDumpable = { chatelaine_is_dumpable() != 0 }
            var surroundings = surroundings(ConfinedFolder(arguments.stateFolder))
            // Its thread is the second one.
            let reader = matcher.flatMap { FingerprintReader(channel: $0) { log.warning($0) } }
            if let reader { settings.biometry = reader }
            if let keyWorker {
                // Without it no key could be used for as long as this process lives. The next one has another.
                let end = surroundings.end
                settings.keyWorkers = KeyWorkers(channel: keyWorker) {
                    end("keyd has ended: a new enclaved gets another")
                }
            }
            let enclave = Enclave(stateFolder: arguments.stateFolder, settings: settings)
            surroundings.hadPasscode = { enclave.hadPasscode }
            let server = ChannelServer(surroundings) { enclave.answer($0, passcodes: $1, while: $2) }
            server.run(first: channel)
            // The other channels live on; the last one ends the process.
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
