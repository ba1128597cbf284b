import ArgumentParser
import ChatelaineIPC
import ChatelaineModel

/// `security check`: the whole store, verified: pages and indices, the mark, and every item with its digests and secret; and what
/// is missing from it.
struct CheckCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Opens every item and verifies the whole store.",
        usage: "security check [--acknowledge] [--json]",
        discussion:
            "Damaged items are set aside, as when a search meets them. Also says what a recovery lost, or may have "
            + "lost, and names the damaged items of this tool's own groups. Exit status 1 if damage was found, or if "
            + "something is missing that was not acknowledged; 0 if all is well.")

    @Flag(name: .long, help: "Shows what is missing, and takes note that you know of it. Checks nothing.")
    var acknowledge = false
    @Flag(name: .long, help: "One object.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        if acknowledge { return try takeNote(context) }
        let sum = try check(context)
        // After the check: it may be what had the store made anew.
        let losses = try context.keychain.losses(.show)
        let report = try context.keychain.status()
        let result = CheckDescription(sum: sum, losses: losses, report: report)
        if json {
            var writer = JSONWriter()
            result.write(to: &writer)
            try writer.flush(to: context.output)
        } else {
            try context.output.write(result.text)
        }
        let isWell = sum.structure.isEmpty && sum.findings.isEmpty && losses.missing == nil
        return isWell ? ExitStatus.success : ExitStatus.failure
    }

    private func takeNote(_ context: ToolContext) throws -> Int32 {
        let losses = try context.keychain.losses(.acknowledge)
        if json {
            var writer = JSONWriter()
            writer.beginObject()
            LossDescription(losses: losses).write(to: &writer)
            writer.endObject()
            writer.end()
            try writer.flush(to: context.output)
        } else {
            let text = losses.missing.map { MissingText($0).text } ?? "nothing was missing"
            try context.output.write("acknowledged  \(text)\n")
        }
        return ExitStatus.success
    }

    /// All steps, added up.
    private func check(_ context: ToolContext) throws(KeychainError) -> CheckStep {
        let (keychain, progress) = (context.keychain, context.progress)
        var sum = try progress.watch("checking pages and indices") { () throws(KeychainError) in
            try keychain.check(position: 0)
        }
        defer { progress.finish() }
        while let position = sum.next {
            let step = try keychain.check(position: position)
            // A position that does not move would never end.
            guard step.next.map({ $0 > position }) ?? true else {
                throw KeychainError(.internalComponent, "securityd does not get on with the check")
            }
            sum.next = step.next
            sum.rows += step.rows
            sum.locked += step.locked
            sum.findings += step.findings
            sum.structure += step.structure
            progress.show("checking… \(sum.rows) of \(sum.total ?? sum.rows) items")
        }
        return sum
    }
}
