import ChatelaineMemory
import ChatelaineSystem
import Glibc

/// Runs commands from standard input, a line each (`security -i`).
struct InteractiveMode {
    let context: ToolContext
    let options: GlobalOptions

    /// Runs commands until there are no more, or a prompt was not answered; returns the exit status of the last one.
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

    /// The next line without its end, at most one byte longer than allowed; nil if there is none.
    ///
    /// It is read byte by byte, so that a command can read the rest of standard input.
    private func nextLine() throws -> [UInt8]? {
        var line: [UInt8] = []
        line.reserveCapacity(CommandLineWords.maximumLineBytes + 1)
        var byte: UInt8 = 0
        while true {
            let count = read(context.standardInput, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw ToolError.failure("standard input could not be read: \(Errno.last)")
            }
            guard count > 0 else { return line.isEmpty ? nil : line }
            if byte == UInt8(ascii: "\n") { return line }
            if line.count <= CommandLineWords.maximumLineBytes { line.append(byte) }
        }
    }
}
