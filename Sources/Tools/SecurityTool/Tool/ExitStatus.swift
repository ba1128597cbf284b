import ChatelaineModel

/// The exit statuses of the command.
enum ExitStatus {
    static let success: Int32 = 0
    /// Unknown verbs, and failures that no `OSStatus` describes.
    static let failure: Int32 = 1
    static let usage: Int32 = 2
    /// The secret was not typed twice alike, or not at all; the number is that of Apple's tool.
    static let promptFailed: Int32 = 255

    /// The low byte of a status, but never 0 for a failure.
    static func of(_ status: Status) -> Int32 {
        let low = status.rawValue & 0xFF
        return low == 0 && status != .success ? failure : low
    }

    /// The meanings of an exit status, a line each.
    static func explanation(of exitStatus: Int32) -> String {
        let own =
            meanings.first { $0.exitStatus == exitStatus }.map { ["Exit status \(exitStatus): \($0.meaning)"] } ?? []
        // The codes of the keychain come before those of the modules below it.
        let statuses = StatusCatalogue.codes.reversed().filter { $0 != 0 && of(Status(rawValue: $0)) == exitStatus }
        let lines =
            own
            + statuses.compactMap(StatusCatalogue.entry).map { entry in
                "Exit status \(exitStatus): \(entry.name) \(entry.code) \(entry.message)"
            }
        guard !lines.isEmpty else { return "Exit status \(exitStatus): no status that is known here\n" }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The exit statuses that this command defines itself.
    private static let meanings: [(exitStatus: Int32, meaning: String)] = [
        (failure, "an unknown verb, damage or a problem that was found, or a failure on this side of the keychain"),
        (usage, "wrong usage"), (promptFailed, "the secret was not typed twice alike, or not at all"),
    ]
}
