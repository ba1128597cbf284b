import CChatelaine
import Foundation

/// Starts this program again in another role.
enum OwnProgram {
    /// Starts it with a socket as descriptor 3, and returns the other end.
    ///
    /// - Parameter program: the path of a copy, which counts as another application.
    static func start(
        _ arguments: [String], of program: String? = nil, environment: [String: String] = [:]
    ) throws -> (pid: Int32, socket: Int32) {
        var pair: [Int32] = [-1, -1]
        try BenchError.check(chatelaine_unix_socketpair(&pair) == 0, "no socket pair")
        defer { close(pair[1]) }
        do {
            return (try start(arguments, of: program, environment: environment, channel: pair[1]), pair[0])
        } catch {
            close(pair[0])
            throw error
        }
    }

    /// Starts it with `channel` as descriptor 3, and returns its process id.
    static func start(
        _ arguments: [String], of program: String? = nil, environment: [String: String] = [:], channel: Int32
    ) throws -> Int32 {
        let path = try program ?? Self.path
        var words = ([path] + arguments).map { (word: String) in strdup(word) } + [nil]
        var settings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for string in words + settings { free(string) } }
        // SAFETY: both arrays hold C strings that live until the end of this function, and end in nil.
        let pid = chatelaine_spawn_with_channel(path, &words, &settings, channel)
        try BenchError.check(pid > 0, "\(path) cannot be started")
        return pid
    }

    static var path: String {
        get throws {
            guard let resolved = realpath("/proc/self/exe", nil) else { throw BenchError("/proc tells no executable") }
            defer { free(resolved) }
            return String(cString: resolved)
        }
    }

    /// Runs another program and waits for its end.
    static func run(_ command: [String]) throws {
        guard let path = command.first else { throw BenchError("no program is named") }
        var words = command.map { (word: String) in strdup(word) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = [nil]
        defer { for string in words { free(string) } }
        // SAFETY: both arrays hold C strings that live until the end of this function, and end in nil.
        let pid = chatelaine_spawn_detached(path, &words, &settings)
        try BenchError.check(pid > 0, "\(path) cannot be started")
        try Self.await(pid, path)
    }

    /// Waits for the end of a process; throws where it did not succeed.
    static func await(_ pid: Int32, _ what: String) throws {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        try BenchError.check(status == 0, "\(what) failed")
    }
}
