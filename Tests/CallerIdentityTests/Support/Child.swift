import CChatelaine
import Foundation
import Glibc
import Testing

@testable import CallerIdentity

/// A running program: by default a copy of `cat`, which answers what it is sent, so that a test knows that it runs.
final class Child {
    /// Programs are looked for by their names where the test run does (Tools/closed-path.sh).
    static let environment = ["PATH=" + (ProcessInfo.processInfo.environment["PATH"] ?? "")]

    let pid: pid_t
    private let line: Int32
    private var isReaped = false

    /// Starts `arguments`, as user `uid` if given.
    init(
        _ arguments: [String], uid: uid_t? = nil, environment: [String] = Child.environment
    ) throws {
        var arguments = arguments
        if let uid {
            arguments =
                ["/usr/bin/setpriv", "--reuid", "\(uid)", "--regid", "\(uid)", "--clear-groups", "--"] + arguments
        }
        var pair: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&pair) == 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, pair[1], 0)
        posix_spawn_file_actions_adddup2(&actions, pair[1], 1)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            close(pair[1])
        }
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var pid: pid_t = 0
        let result = posix_spawn(&pid, arguments[0], &actions, nil, &words, &variables)
        self.pid = pid
        line = pair[0]
        // Such a child answers nothing.
        guard result != ETXTBSY else {
            isReaped = true
            return
        }
        try #require(result == 0, "\(arguments[0]): \(String(cString: strerror(result)))")
    }

    /// A program that runs and answers, though a child that another test starts just then may hold its file open for
    /// writing for a moment, inherited from us: the kernel runs no such file.
    static func running(_ arguments: [String], uid: uid_t? = nil) throws -> Child {
        for _ in 0..<200 {
            let child = try Child(arguments, uid: uid)
            if child.answers() { return child }
        }
        throw Errno(ETXTBSY)
    }

    /// Whether what is sent comes back: the program that answers has been reached.
    func answers(_ text: String = "are you there\n") -> Bool {
        // Without a signal where nobody listens.
        guard Glibc.send(line, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count else { return false }
        return receive() == text
    }

    func send(_ text: String) { _ = write(line, text, text.utf8.count) }

    func receive() -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = read(line, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    /// Waits for its end.
    func succeeds() -> Bool {
        var status: Int32 = 0
        guard !isReaped, waitpid(pid, &status, 0) == pid else { return false }
        isReaped = true
        return status == 0
    }

    func end() {
        guard !isReaped else { return }
        isReaped = true
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    /// - Parameter user: whose message it was, as the kernel would say.
    func handle(_ system: any SystemCalls = LinuxCalls(), user: uid_t = Bench.user) throws -> ProcessHandle {
        try ProcessHandle(
            adopting: chatelaine_pidfd_open(pid), pid: pid, uid: user, gid: getgid(), support: .current,
            system: system)
    }

    deinit {
        end()
        close(line)
    }
}
