import ChatelaineMemory
import Glibc

/// Commands from standard input, a line each, as `security -i` runs them for scripts and for people.
struct InteractiveMode {
    let context: ToolContext
    let options: GlobalOptions

    /// Runs commands until there are none, or a prompt was not answered; ends with what the last one ended with.
    func run(_ command: ([String]) throws -> Int32) throws -> Int32 {
        let isTerminal = isatty(context.standardInput) != 0
        var exitStatus = ExitStatus.success
        while true {
            if isTerminal { try context.errors.write(options.prompt) }
            guard var line = try nextLine() else { return exitStatus }
            defer { line.withUnsafeMutableBytes { ChatelaineMemory.wipe($0) } }
            let words: [String]
            do throws(CommandLineWords.Defect) {
                guard line.count <= CommandLineWords.maximumLineBytes else {
                    context.complain(
                        "a line has \(CommandLineWords.maximumLineBytes) bytes at the most; it was passed over")
                    exitStatus = ExitStatus.usage
                    continue
                }
                words = try CommandLineWords.split(line)
            } catch {
                context.complain("\(error.words); the line was passed over")
                exitStatus = ExitStatus.usage
                continue
            }
            guard let verb = words.first else { continue }
            exitStatus = try command(words)
            if exitStatus != ExitStatus.success, !options.isQuiet {
                try context.errors.write("\(Printable.text(verb)): returned \(exitStatus)\n")
            }
            if exitStatus == ExitStatus.promptFailed { return exitStatus }
        }
    }

    /// The next line without its end, cut off behind one byte more than it may have; nil where there is none.
    ///
    /// Byte by byte: what follows the line is for whichever command reads standard input.
    private func nextLine() throws -> [UInt8]? {
        var line: [UInt8] = []
        line.reserveCapacity(CommandLineWords.maximumLineBytes + 1)
        var byte: UInt8 = 0
        while true {
            let count = read(context.standardInput, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw ToolError.failure("standard input could not be read: \(String(cString: strerror(errno)))")
            }
            guard count > 0 else { return line.isEmpty ? nil : line }
            if byte == UInt8(ascii: "\n") { return line }
            if line.count <= CommandLineWords.maximumLineBytes { line.append(byte) }
        }
    }
}
