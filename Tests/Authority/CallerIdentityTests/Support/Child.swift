import CChatelaine
import ChatelaineSystem
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CallerIdentity

/// A running program, by default a copy of `cat`, whose echo shows that it runs.
final class Child {
    /// The process, or nil where the kernel does not run the file.
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
            // A child without a process gives no answer.
            process = nil
        }
    }

    /// Starts a program that answers, and repeats the start if necessary.
    ///
    /// A child of another test may briefly inherit our descriptor that is open for writing, and the kernel does not run
    /// such a file.
    static func running(_ arguments: [String], uid: uid_t? = nil) throws -> Child {
        for _ in 0..<200 {
            let child = try Child(arguments, uid: uid)
            if child.answers() { return child }
        }
        throw Errno(ETXTBSY)
    }

    /// Whether the program returns the text that it is sent.
    func answers(_ text: String = "are you there\n") -> Bool {
        // The call raises no signal if nobody listens.
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

    /// - Parameter user: The sender of the message, as the kernel would state it.
    func handle(_ system: IdentitySystemCalls = .system, user: uid_t = Bench.user) throws -> ProcessHandle {
        try ProcessHandle(
            adopting: chatelaine_pidfd_open(pid), pid: pid, uid: user, gid: getgid(), support: .current,
            system: system)
    }

    deinit {
        end()
        close(line)
    }
}
