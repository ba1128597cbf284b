import ArgumentParser

/// A command at the end of a way of verbs: ArgumentParser fills in its options, then it runs.
protocol ToolCommand: ParsableCommand {
    /// Returns the exit status; throws `KeychainError`, ``ToolError`` and ``OutputError``.
    func run(in context: ToolContext) throws -> Int32
}
