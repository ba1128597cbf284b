import ArgumentParser
import ChatelaineModel

/// `security error`: codes in words, in the form and with the exit status of Apple's tool.
struct ErrorCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "error", abstract: "Prints the message of error codes.", usage: "security error code...",
        discussion: "A code is decimal, 0x hexadecimal, 0 octal, or a name such as errSecItemNotFound.")

    // Passed through, because negative numbers would be taken for options.
    @Argument(parsing: .captureForPassthrough)
    var codes: [String] = []

    func run(in context: ToolContext) throws -> Int32 {
        guard !codes.isEmpty else { throw ToolError.usage("error wants a code") }
        if codes == ["--help"] || codes == ["-h"] {
            try context.output.write(Self.helpMessage(columns: HelpText(output: context.output).columns))
            return ExitStatus.success
        }
        for word in codes {
            guard let code = Self.code(word) else {
                try context.errors.write("security: \(Printable.text(word)) is neither a code nor the name of one\n")
                continue
            }
            let message = StatusCatalogue.entry(for: code)?.message ?? "OSStatus \(code)"
            try context.output.write("Error: 0x\(Self.hexadecimal(code)) \(code) \(message)\n")
        }
        // Always 1, as Apple's (security_cli.tsv): scripts tell nothing by it.
        return ExitStatus.failure
    }

    /// The code that a word stands for; hexadecimal and octal ones are the 32 bits of it.
    static func code(_ word: String) -> Int32? {
        if let code = StatusCatalogue.code(named: word) { return code }
        let isNegative = word.hasPrefix("-")
        let digits = isNegative ? word.dropFirst() : word[...]
        guard let first = digits.first, first.isASCII, first.isNumber else { return nil }
        let magnitude: Int64?
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            magnitude = Int64(digits.dropFirst(2), radix: 16)
        } else if first == "0" {
            magnitude = Int64(digits, radix: 8)
        } else {
            magnitude = Int64(digits)
        }
        guard let magnitude, magnitude >= 0, magnitude <= UInt32.max else { return nil }
        if isNegative { return Int32(exactly: -magnitude) }
        return Int32(bitPattern: UInt32(magnitude))
    }

    private static func hexadecimal(_ code: Int32) -> String {
        let digits = String(UInt32(bitPattern: code), radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
