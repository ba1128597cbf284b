import ArgumentParser
import ChatelaineModel

/// `security error`: explains codes in the form of Apple's tool, and exit statuses of this one.
struct ErrorCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "error", abstract: "Explains codes and exit statuses.", usage: "security error code...",
        discussion:
            "A code is decimal, 0x hexadecimal, 0 octal, or a name such as errSecItemNotFound. Of one from 1 to 255 every "
            + "status is shown besides that gives it as an exit status of this command. The exit status is 1 in any "
            + "case, as on macOS.")

    // Without this, ArgumentParser would take negative numbers as options.
    @Argument(parsing: .captureForPassthrough, help: "Codes, names, or exit statuses.")
    var code: [String] = []

    func run(in context: ToolContext) throws -> Int32 {
        // A leading `--` arrives here as well.
        let code = code.first == "--" ? Array(code.dropFirst()) : code
        guard !code.isEmpty else { throw ToolError.usage("error wants a code") }
        for word in code {
            guard let code = Self.code(word) else {
                context.complain("“\(word)” is neither a code nor the name of one")
                continue
            }
            try context.output.write(Self.explanation(of: code))
        }
        // Apple's command always has this exit status (`security-command.md`, 3).
        return ExitStatus.failure
    }

    private static func explanation(of code: Int32) -> String {
        let entry = StatusCatalogue.entry(for: code)
        let line = "Error: 0x\(Self.hexadecimal(code)) \(code) \(StatusCatalogue.message(of: code))\n"
        // Scripts read Apple's line; the meaning of an exit status follows it.
        return entry == nil && (1...255).contains(code) ? line + ExitStatus.explanation(of: code) : line
    }

    /// The code for a word; hexadecimal and octal numbers give its 32 bits.
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
