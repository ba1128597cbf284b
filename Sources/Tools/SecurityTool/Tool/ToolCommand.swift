import ArgumentParser

/// A command: ArgumentParser sets its options, then it runs.
protocol ToolCommand: ParsableCommand {
    /// Returns the exit status; throws `KeychainError`, ``ToolError`` and ``OutputError``.
    func run(in context: ToolContext) throws -> Int32
}
