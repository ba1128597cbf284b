import Glibc

/// Asks a person at the terminal whether to continue.
struct Confirmation {
    let openTerminal: @Sendable () -> Int32

    /// Whether the answer is “y” or “yes”; nil if there is no terminal.
    func ask(_ question: String) -> Bool? {
        let terminal = openTerminal()
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        // Input from before the question is no answer to it.
        tcflush(terminal, TCIFLUSH)
        let output = Output(descriptor: terminal, isTerminal: true)
        guard (try? output.write("\(question) [y/N] ")) != nil else { return nil }
        return ["y", "yes"].contains(line(terminal).lowercased())
    }

    /// The typed line; empty if the terminal is gone.
    private func line(_ terminal: Int32) -> String {
        // The longest line of a terminal (termios(3)).
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            // SAFETY: the call writes at most as many bytes as the array has.
            let count = buffer.withUnsafeMutableBytes { read(terminal, $0.baseAddress, $0.count) }
            guard count < 0, errno == EINTR else {
                return String(decoding: buffer.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            }
        }
    }
}
