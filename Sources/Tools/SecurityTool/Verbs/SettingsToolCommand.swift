import ArgumentParser
import ChatelaineIPC
import ChatelaineModel

/// `security settings`
struct SettingsToolCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Shows and changes when the keychain locks by itself.",
        usage: "security settings [--idle-lock seconds] [--json] [--stdin|--descriptor n]",
        discussion:
            "With --idle-lock the keychain locks when all sessions of yours have been idle for so many seconds, as logind says; 0 is never. "
            + "It always locks with a session that is locked, and before the machine sleeps. Without a passcode nothing is locked; where there is one, a change takes it."
    )

    @Option(
        name: .long, help: ArgumentHelp("Seconds of idleness after which it locks; 0 for never.", valueName: "seconds"))
    var idleLock: UInt32?
    @Flag(name: .long, help: "One object.")
    var json = false
    @OptionGroup var source: PasscodeSourceOptions

    func run(in context: ToolContext) throws -> Int32 {
        let passcode = idleLock == nil ? nil : try source.guarding(in: context)
        let settings = try context.keychain.settings(
            idleLock.map { .setIdleTimeout($0) } ?? .show, passcode: passcode)
        if json {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("idleLockSeconds")
            writer.value(settings.idleTimeout)
            writer.endObject()
            writer.end()
            try writer.flush(to: context.output)
        } else if idleLock == nil {
            let time = settings.idleTimeout
            try context.output.write(
                Columns.aligned([["idle lock", time == 0 ? "never" : Quantity.duration(Int64(time))]]))
        }
        return ExitStatus.success
    }
}
