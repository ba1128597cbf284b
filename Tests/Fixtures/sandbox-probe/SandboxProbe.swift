import CChatelaine
import Glibc
import Sandbox
import sandbox_attempts

/// A program that enters the sandbox of one of Chatelaine's processes, and then attempts a forbidden operation.
///
///     sandbox-probe PROFILE FOLDER ATTEMPT OUTSIDE
///
/// PROFILE is custodian, daemon, spawner, procHelperSupervisor, procReader, busListener, dialogs, agent, forkServer,
/// forkedWorker, worker (added to the filter of a fork server), formats, fetches, or none, which attempts without a
/// sandbox.
///
/// It prints one line: `done`, or the number of the error. SIGSYS ends it where the filter kills the process. The
/// attempt `states` prints the restrictions of the process, after an attempt named OUTSIDE if there is one.
@main
enum SandboxProbe {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count == 4 else { end("usage: sandbox-probe PROFILE FOLDER ATTEMPT OUTSIDE") }
        let (profile, folder, name, outside) = (words[0], words[1], words[2], words[3])
        var record: SandboxRecord?
        if profile != "none" {
            if name == "states" { FreedMemory.startAgainIfNeeded() }
            guard let (role, confinement) = Self.profile(profile, folder) else { end("no such profile") }
            let failures = ProcessHardening.apply(role)
            guard failures.isEmpty, ProcessHardening.giveUpCapabilities(role) else { end("\(failures)") }
            let applied = confinement.apply()
            if profile == "worker" { _ = WorkerConfinement(over: applied).apply() }
            record = applied
        }
        if name == "states" {
            _ = attempt(outside, folder, outside)
            for state in record?.states ?? [] { say("\(state.name) \(state.level) \(state.detail)") }
            return
        }
        let result = attempt(name, folder, outside)
        guard result != -2 else { end("no such attempt") }
        say(result >= 0 ? "done" : "\(errno)")
    }

    private static func profile(_ name: String, _ folder: String) -> (ProcessHardening.Role, Confinement)? {
        switch name {
        case "custodian": (.custodian, .custodian(stateFolder: folder))
        case "daemon": (.daemon, .daemon(folders: [folder], reachesAbstractSockets: false))
        case "spawner":
            (
                .spawner,
                .spawner(programs: ["/bin/true"], loader: chatelaine_program_loader().map { String(cString: $0) })
            )
        case "fetchSpawner": (.fetchStarter, .spawner(programs: ["/bin/true"], loader: nil, reachesNetwork: true))
        case "procReader": (.procReader, .procReader())
        case "procHelperSupervisor": (.procReader, .procHelperSupervisor())
        case "busListener": (.busListener, .busListener())
        case "dialogs": (.dialogs, .dialogs())
        case "agent": (.dialogs, .agent())
        case "forkServer", "worker": (.keyWorker, .forkServer())
        case "forkedWorker": (.keyWorker, .forkedWorker())
        case "fetches": (.fetch, .fetches())
        default: nil
        }
    }

    private static func say(_ text: String) {
        var line = text + "\n"
        line.withUTF8 { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    private static func end(_ text: String) -> Never {
        say(text)
        exit(2)
    }
}
