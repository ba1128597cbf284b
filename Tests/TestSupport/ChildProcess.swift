import Glibc

/// A program that a test has started. It is killed, at the latest, when the test releases this object.
// `@unchecked Sendable`: everything but `pid` is for the one thread that waits.
package final class ChildProcess: @unchecked Sendable {
    package enum End: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)

        /// The exit status as in a shell: for a signal, 128 plus its number.
        package var status: Int32 {
            switch self {
            case .exited(let status): status
            case .signalled(let signal): 128 + signal
            }
        }
    }

    /// The number of descriptors that a program may inherit, which is the default limit of a process.
    ///
    /// Closing a descriptor that is not open does nothing.
    private static let descriptors: Int32 = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int32(clamping: min(1024, limit.rlim_cur))
    }()

    package let pid: pid_t
    private var end: End?
    private var isAbandoned = false

    /// - Parameters:
    ///   - words: the program, found by `PATH` unless it is a path, and its arguments.
    ///   - user: the user that it runs as, if another; needs root.
    ///   - environment: as in `environ`.
    ///   - files: descriptors of the test with their numbers in the program, which inherits each only under that
    ///   number.
    ///   - inheritsOthers: whether it also inherits the test's other descriptors that are not closed on exec.
    ///   - isQuiet: whether its standard error is discarded.
    package init(
        _ words: [String], user: uid_t? = nil, environment: [String] = ["PATH=" + BuildFolder.searchPath],
        files: [(own: Int32, number: Int32)] = [], inheritsOthers: Bool = true, isQuiet: Bool = false
    ) throws {
        var words = words
        if let user, user != geteuid() {
            words = ["setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "--"] + words
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for file in files { posix_spawn_file_actions_adddup2(&actions, file.own, file.number) }
        if !inheritsOthers {
            let numbers = Set(files.map(\.number))
            for number in 3..<Self.descriptors where !numbers.contains(number) {
                posix_spawn_file_actions_addclose(&actions, number)
            }
        }
        if isQuiet { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for string in arguments + variables { free(string) } }
        var pid: pid_t = 0
        // SAFETY: both arrays hold C strings that live until the call is over, and end in nil.
        let error = posix_spawnp(&pid, words[0], &actions, nil, &arguments, &variables)
        self.pid = pid
        guard error == 0 else {
            isAbandoned = true
            throw SystemError("starting \(words[0])", code: error)
        }
    }

    deinit { kill() }

    /// Waits for the end of the program.
    package func wait() -> End {
        if let end { return end }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let end = Self.decoded(status)
        self.end = end
        return end
    }

    /// The end of the program; nil while it runs.
    package func poll() -> End? {
        var status: Int32 = 0
        if end == nil, waitpid(pid, &status, WNOHANG) == pid { end = Self.decoded(status) }
        return end
    }

    /// Kills the program, and waits for its end.
    package func kill() {
        guard end == nil, !isAbandoned else { return }
        Glibc.kill(pid, SIGKILL)
        _ = wait()
    }

    /// Leaves the process to the caller, who has to end it and wait for it.
    package func abandon() -> pid_t {
        isAbandoned = true
        return pid
    }

    private static func decoded(_ status: Int32) -> End {
        // WIFSIGNALED and WEXITSTATUS, which Swift does not import.
        status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
    }
}
