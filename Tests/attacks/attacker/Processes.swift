import Glibc

/// fork(2) and execve(2), which Swift leaves out or makes awkward; this program has one thread.
enum Processes {
    private typealias Fork = @convention(c) () -> pid_t

    static func fork() -> pid_t {
        guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork") else { return -1 }
        // SAFETY: that is the signature of fork(2).
        return unsafeBitCast(symbol, to: Fork.self)()
    }

    /// Executes a program; a name without a slash is searched for in PATH.
    static func execute(_ words: [String]) -> Never {
        var arguments = words.map { strdup($0) } + [nil]
        execvp(words[0], &arguments)
        Processes.say("exec refused", errno)
        exit(0)
    }

    /// Prints a line at once: after a fork, buffered text would be printed twice.
    static func say(_ words: Any...) {
        var line = words.map { "\($0)" }.joined(separator: " ") + "\n"
        line.withUTF8 { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    static func awaitEnd(of child: pid_t) {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
    }
}
