import CChatelaine
import Foundation
import Synchronization
import TestSupport
import Testing

/// A running program with a socket on each side; no wait is longer than its limit.
final class Program: Sendable {
    /// The seconds until a program counts as hung.
    ///
    /// No wait takes a hundredth of this on a busy machine, and it is less than the limit of a test run.
    static let patience = 300.0

    /// Where programs are looked for by name: the same places as for the test run (Tools/closed-path.sh).
    static let searchPath = BuildFolder.searchPath

    var pid: pid_t { process.pid }

    private let process: ChildProcess
    private let input: Int32
    private let output: Int32
    private let state = Mutex(State())

    private struct State {
        var heard = [UInt8]()
        var isInputOpen = true
    }

    /// - Parameters:
    ///   - uid: the user to run as, if it is not our own.
    ///   - isQuiet: whether its standard error is discarded.
    ///   - complaints: a descriptor that becomes its standard error.
    init(
        _ words: [String], uid: uid_t = geteuid(), environment: [String: String], isQuiet: Bool = false,
        complaints: Int32? = nil
    ) throws {
        var words = words
        if uid != geteuid() {
            words = ["setpriv", "--reuid", "\(uid)", "--regid", "\(uid)", "--clear-groups", "--"] + words
        }
        words = ["/usr/bin/env"] + words
        var (toChild, fromChild): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        // The children of other tests do not inherit these sockets, as they would inherit those of pipe(2).
        try #require(chatelaine_unix_socketpair(&toChild) == 0 && chatelaine_unix_socketpair(&fromChild) == 0)
        defer {
            close(toChild[0])
            close(fromChild[1])
        }
        input = toChild[1]
        output = fromChild[0]
        var files = [(toChild[0], Int32(0)), (fromChild[1], Int32(1))]
        if let complaints { files.append((complaints, 2)) }
        process = try ChildProcess(
            words, environment: environment.map { "\($0)=\($1)" }, files: files, isQuiet: isQuiet)
    }

    deinit {
        process.kill()
        closeInput()
        close(output)
    }

    func send(_ line: Data) throws {
        var line = line + Data("\n".utf8)
        while !line.isEmpty {
            let count = line.withUnsafeBytes { Glibc.send(input, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw ProgramError.ended }
            line.removeFirst(count)
        }
    }

    func closeInput() {
        let isOpen = state.withLock { state in
            defer { state.isInputOpen = false }
            return state.isInputOpen
        }
        if isOpen { close(input) }
    }

    /// The next line of output.
    func line(within seconds: Double = patience) throws -> Data {
        let end = Date().addingTimeInterval(seconds)
        return try state.withLock { state in
            var searched = 0
            while true {
                if let index = state.heard[searched...].firstIndex(of: 0x0A) {
                    let line = Data(state.heard[..<index])
                    state.heard.removeFirst(index + 1)
                    return line
                }
                searched = state.heard.count
                guard try receive(&state.heard, until: end) else { throw ProgramError.ended }
            }
        }
    }

    /// The remaining lines of output, up to its end.
    func rest(within seconds: Double = patience) throws -> [String] {
        closeInput()
        let end = Date().addingTimeInterval(seconds)
        let heard = try state.withLock { state in
            while try receive(&state.heard, until: end) {}
            return state.heard
        }
        _ = try finish()
        return String(decoding: heard, as: UTF8.self).split(separator: "\n").map { String($0) }
    }

    /// Closes its input and waits for its end; returns its exit status, or 128 plus the signal.
    @discardableResult
    func finish(within seconds: Double = patience) throws -> Int32 {
        closeInput()
        let end = Date().addingTimeInterval(seconds)
        while true {
            let known = state.withLock { _ in process.poll()?.status }
            if let known { return known }
            guard Date() < end else { throw ProgramError.tooSlow }
            usleep(2_000)
        }
    }

    private func receive(_ heard: inout [UInt8], until end: Date) throws -> Bool {
        var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        let left = Int32(max(0, end.timeIntervalSinceNow) * 1000)
        guard poll(&ready, 1, left) > 0 else { throw ProgramError.tooSlow }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(output, &buffer, buffer.count)
        guard count > 0 else { return false }
        heard += buffer[..<count]
        return true
    }
}

enum ProgramError: Error {
    /// The program ended or closed its output before it answered.
    case ended
    case tooSlow
}
