import ArgumentParser
import ChatelaineMemory
import ChatelaineModel
import PasswordQuality

/// `security generate-password`: makes random passwords. It stores nothing, and calls no daemon.
struct GeneratePasswordCommand: ToolCommand {
    /// The most passwords of one call: a page to choose from.
    static let mostAtOnce = 100

    static let configuration = CommandConfiguration(
        commandName: "generate-password", abstract: "Makes a password, and says how strong it is.",
        usage: "security generate-password [--kind kind] [--length n] [--count n] [--json]",
        discussion:
            "Standard output has the password and nothing else, without a newline where that is no terminal; standard error has its strength. "
            + "With --count there is one a line. Every password of a kind and length is made as often as any other. Nothing is stored."
    )

    @Option(name: .long, help: ArgumentHelp("What it consists of.", valueName: "kind"))
    var kind = PasswordKind.random
    @Option(
        name: .long,
        help: ArgumentHelp(
            "So many characters, \(PasswordKind.random.lengthRange), or \(PasswordKind.digits.lengthRange) digits. Unless said, \(PasswordKind.usualLengths).",
            valueName: "n"))
    var length: Int?
    @Option(name: .long, help: ArgumentHelp("So many passwords, 1 to \(mostAtOnce).", valueName: "n"))
    var count: Int?
    @Flag(name: .long, help: "An object, or with --count an array of them.")
    var json = false

    func validate() throws {
        guard length.map(kind.lengths.contains) ?? true else {
            throw ValidationError("--length wants \(kind.lengthRange) for \(kind.rawValue)")
        }
        guard count.map((1...Self.mostAtOnce).contains) ?? true else {
            throw ValidationError("--count wants a number from 1 to \(Self.mostAtOnce)")
        }
    }

    func run(in context: ToolContext) throws -> Int32 {
        let pattern = try PasswordPattern(kind, length: length ?? kind.usualLength)
        let made = (0..<(count ?? 1)).map { _ in
            let password = pattern.password()
            return (password, PasswordStrength(estimating: password, atMost: pattern.bits))
        }
        if json {
            try write(made, to: context.output)
            return ExitStatus.success
        }
        for (password, _) in made {
            try SecretOutput(output: context.output).write(password)
            if count != nil, !context.output.isTerminal { try context.output.write("\n") }
        }
        // The strength of several passwords is that of the weakest, which may be the result of an unlucky draw.
        guard let weakest = made.map(\.1).min(by: { $0.bits < $1.bits }) else { return ExitStatus.success }
        // A failure to write here is ignored, because the password was written.
        context.note("strength: \(weakest.bits) bits, \(weakest.step.text)\n")
        return ExitStatus.success
    }

    private func write(_ made: [(SecretBytes, PasswordStrength)], to output: Output) throws {
        var writer = JSONWriter()
        if count != nil { writer.beginArray() }
        for (index, (password, strength)) in made.enumerated() {
            if index > 0 { writer.newline() }
            writer.beginObject()
            writer.key("password")
            password.withUnsafeBytes { writer.text($0) }
            writer.key("bits")
            writer.value(strength.bits)
            writer.key("strength")
            writer.value(strength.step.rawValue)
            writer.endObject()
        }
        if count != nil { writer.endArray() }
        writer.end()
        try writer.flush(to: output)
    }
}

extension PasswordKind: ExpressibleByArgument {
    fileprivate var lengthRange: String { "\(lengths.lowerBound) to \(lengths.upperBound)" }

    fileprivate static let usualLengths = allCases.map { "\($0.usualLength) for \($0.rawValue)" }
        .joined(separator: ", ")
}
