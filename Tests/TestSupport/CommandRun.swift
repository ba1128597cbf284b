import CChatelaine
import Glibc

/// A program that ran to its end, with its output.
package struct CommandRun: Sendable {
    package let end: ChildProcess.End
    package let output: String
    package let errors: String

    /// The exit status as in a shell.
    package var exitStatus: Int32 { end.status }

    package var lines: [String] { output.split(separator: "\n").map { String($0) } }

    /// Runs a program with empty input.
    ///
    /// Its output goes to files. With pipes, a daemon that it leaves behind would keep the test waiting for their end.
    package init(
        _ words: [String], user: uid_t? = nil, environment: [String] = ["PATH=" + BuildFolder.searchPath]
    ) throws {
        let output = chatelaine_memfd("output")
        defer { close(output) }
        let errors = chatelaine_memfd("errors")
        defer { close(errors) }
        let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(input) }
        guard output >= 0, errors >= 0, input >= 0 else { throw SystemError("making files in memory") }
        // The test process may have inherited other descriptors, as `make --jobs` passes 3 and 4.
        let child = try ChildProcess(
            words, user: user, environment: environment, files: [(input, 0), (output, 1), (errors, 2)],
            inheritsOthers: false)
        end = child.wait()
        self.output = Self.content(output)
        self.errors = Self.content(errors)
    }

    private static func content(_ file: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(max(0, lseek(file, 0, SEEK_END))))
        // SAFETY: at most as many bytes are written as the buffer has.
        let count = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
