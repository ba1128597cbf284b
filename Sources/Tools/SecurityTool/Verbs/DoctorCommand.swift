import ArgumentParser

/// `security doctor`: shows what is degraded or broken, and what to do about it.
struct DoctorCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Looks for what is degraded or broken, and says how to mend it.",
        usage: "security doctor [--json]",
        discussion: "Exit status 1 if there is a problem, and 0 if the worst is that something is degraded.")

    @Flag(name: .long, help: "An array of objects.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        context.progress.show("examining…")
        let findings = Doctor(keychain: context.keychain, environment: context.environment).findings()
        context.progress.finish()
        let list = FindingList(findings: findings)
        if json {
            var writer = JSONWriter()
            list.write(to: &writer)
            try writer.flush(to: context.output)
        } else {
            try context.output.write(list.text)
        }
        return findings.contains { $0.level == .problem } ? ExitStatus.failure : ExitStatus.success
    }
}
