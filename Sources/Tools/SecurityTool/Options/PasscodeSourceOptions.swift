import ArgumentParser
import ChatelaineMemory
import ChatelaineModel

/// The options for the source of passcodes: a silent terminal, or a descriptor.
///
/// They are never on the command line, which every process can read.
struct PasscodeSourceOptions: ParsableArguments {
    @Flag(name: .long, help: "Read from standard input: a line for each passcode, its end left out.")
    var stdin = false
    @Option(name: .long, help: ArgumentHelp("The same from an open descriptor.", valueName: "n"))
    var descriptor: Int32?

    private var isGiven: Bool { stdin || descriptor != nil }

    func validate() throws {
        guard !stdin || descriptor == nil else { throw ValidationError("--stdin and --descriptor exclude each other") }
        guard (descriptor ?? 0) >= 0 else { throw ValidationError("--descriptor wants the number of a descriptor") }
    }

    /// Reads passcodes from the given descriptor.
    ///
    /// This comes before any file is opened, so that the descriptor is one that the caller passed to us.
    ///
    /// - Parameter count: the number of passcodes that the command takes.
    /// - Returns: nil if a person has to be asked.
    func read(_ count: Int, in context: ToolContext) throws -> [SecretBytes]? {
        guard isGiven else { return nil }
        let content = try SecretReader(progress: context.progress).read(
            descriptor ?? context.standardInput, isChomped: true)
        guard let lines = Self.lines(of: content, count) else {
            throw ToolError.usage(
                "\(Quantity.count(count, "line")) \(count == 1 ? "was" : "were") expected to be read, a passcode each")
        }
        for line in lines { try Self.check(line) }
        return lines
    }

    /// The lines of the content; nil unless there are exactly `count`.
    private static func lines(of content: SecretBytes, _ count: Int) -> [SecretBytes]? {
        content.withUnsafeBytes { bytes in
            let lines = bytes.split(
                separator: UInt8(ascii: "\n"), maxSplits: count, omittingEmptySubsequences: false)
            guard lines.count == count else { return nil }
            return lines.map { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0)) }
        }
    }

    /// The passcode for a command that needs one only if one is set; nil if none is.
    func guarding(in context: ToolContext) throws -> SecretBytes? {
        if let read = try read(1, in: context) { return read.first }
        // If the keychain does not open, the command itself reports why.
        guard let device = try? context.keychain.device(.state), device.hasPasscode else { return nil }
        let description = DeviceDescription(report: device)
        if device.delay > 0 { throw description.delayed }
        return try Self.ask(in: context)
    }

    /// The present passcode, typed by a person: the bytes that the terminal sends.
    static func ask(_ question: String = "Passcode: ", in context: ToolContext) throws -> SecretBytes {
        let passcode = try prompt(question, in: context).ask(twice: false)
        try check(passcode)
        return passcode
    }

    /// A new passcode, typed twice by a person.
    static func askNew(in context: ToolContext) throws -> SecretBytes {
        let passcode = try prompt("New passcode: ", in: context).ask(twice: true)
        try check(passcode)
        return passcode
    }

    private static func prompt(_ question: String, in context: ToolContext) -> PasswordPrompt {
        var words = PasswordPrompt.Words()
        words.question = question
        words.instead = "--stdin or --descriptor"
        words.thing = "the passcode"
        words.consequence = "nothing was changed"
        return PasswordPrompt(words: words, openTerminal: context.openTerminal)
    }

    private static func check(_ passcode: SecretBytes) throws {
        guard (1...Limits.passcodeBytes).contains(passcode.count) else {
            throw KeychainError(.param, "a passcode has 1 to \(Limits.passcodeBytes) bytes; nothing was changed")
        }
    }
}
