import ArgumentParser
import ChatelaineIPC
import ChatelaineModel

/// `security status`: shows the daemon's report about itself and about this program.
struct StatusCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Says what the daemon holds, where, and how sure it is of this program.",
        usage: "security status [--json]")

    @Flag(name: .long, help: "One object, of an object for each group of facts.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let keychain = context.keychain
        let report = try context.progress.watch("asking securityd") { () throws(KeychainError) in try keychain.status()
        }
        if json {
            var writer = JSONWriter()
            ReportDescription(report: report).write(to: &writer)
            try writer.flush(to: context.output)
        } else {
            try context.output.write(ReportDescription(report: report).text)
        }
        return ExitStatus.success
    }
}
