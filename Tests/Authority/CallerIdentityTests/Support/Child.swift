import CChatelaine
import ChatelaineSystem
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CallerIdentity

/// A running program: by default a copy of `cat`, which answers what it is sent, so that a test knows that it runs.
final class Child {
    /// nil where the kernel runs no such file.
    private let process: ChildProcess?
    private let line: Int32

    var pid: pid_t { process?.pid ?? 0 }

    /// Starts `arguments`, as user `uid` if given.
    init(
        _ arguments: [String], uid: uid_t? = nil, environment: [String] = ["PATH=" + BuildFolder.searchPath]
    ) throws {
        var pair: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&pair) == 0)
        defer { close(pair[1]) }
        line = pair[0]
        do {
            process = try ChildProcess(
                arguments, user: uid, environment: environment, files: [(pair[1], 0), (pair[1], 1)])
        } catch let error as SystemError where error.code == ETXTBSY {
            // Such a child answers nothing.
            process = nil
        }
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

    func end() { process?.kill() }

    /// - Parameter user: whose message it was, as the kernel would say.
    func handle(_ system: IdentityCalls = .system, user: uid_t = Bench.user) throws -> ProcessHandle {
        try ProcessHandle(
            adopting: chatelaine_pidfd_open(pid), pid: pid, uid: user, gid: getgid(), support: .current,
            system: system)
    }

    deinit {
        end()
        close(line)
    }
}
