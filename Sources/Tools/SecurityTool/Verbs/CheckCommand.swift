import ArgumentParser
import ChatelaineIPC
import ChatelaineModel

/// `security check`: verifies the whole store, or a whole file keychain.
///
/// It checks pages and indices, the mark, and every item with its digests and secret, and reports what is missing.
struct CheckCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Opens every item and verifies the whole store.",
        usage: "security check [--acknowledge] [--json] [keychain]",
        discussion:
            "With a keychain it is about that file keychain, which has to be unlocked. Damaged items are set aside, as when a search meets them. Also says what a recovery lost, or may have "
            + "lost, and names the damaged items of this tool's own groups. Exit status 1 if damage was found, or if "
            + "something is missing that was not acknowledged; 0 if all is well.")

    @Argument(help: "A file keychain, by name or path.", completion: .file())
    var keychain: String?
    @Flag(name: .long, help: "Shows what is missing, and takes note that you know of it. Checks nothing.")
    var acknowledge = false
    @Flag(name: .long, help: "One object.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let path = try keychain.map { name throws(KeychainError) in try context.path(ofKeychain: name).text }
        if acknowledge { return try takeNote(path, context) }
        let sum = try check(path, context)
        // This comes after the check, which may be the call that recovers the store.
        let losses = try context.keychain.losses(.show(keychain: path))
        // The rest of the daemon's report is about the data protection keychain.
        let report = path == nil ? try context.keychain.status() : DaemonReport()
        let result = CheckDescription(sum: sum, losses: losses, report: report, keychain: keychain)
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

    private func takeNote(_ path: String?, _ context: ToolContext) throws -> Int32 {
        let losses = try context.keychain.losses(.acknowledge(keychain: path))
        if json {
            var writer = JSONWriter()
            writer.beginObject()
            LossDescription(losses: losses, keychain: keychain).write(to: &writer)
            writer.endObject()
            writer.end()
            try writer.flush(to: context.output)
        } else {
            let text = losses.missing.map { MissingText($0).text } ?? "nothing was missing"
            try context.output.write("acknowledged  \(text)\n")
        }
        return ExitStatus.success
    }

    /// The sum of all steps of a check.
    private func check(_ path: String?, _ context: ToolContext) throws(KeychainError) -> CheckStep {
        let (keychain, progress) = (context.keychain, context.progress)
        var sum = try progress.watch("checking pages and indices") { () throws(KeychainError) in
            try keychain.check(position: 0, keychain: path)
        }
        defer { progress.finish() }
        while let position = sum.next {
            let step = try keychain.check(position: position, keychain: path)
            // A position that does not advance would make this loop endless.
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
