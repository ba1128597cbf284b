import CChatelaine
import ChatelaineSystem
import Glibc

/// The system calls by which a client starts the daemon; the seam at which tests make them fail.
struct LaunchCalls: Sendable {
    var folders = FolderCalls.system
    /// Opens the lock's file, and makes it for its owner alone where it is missing.
    ///
    /// A symbolic link is refused, and opening a pipe does not block.
    var open: @Sendable (_ path: String) throws(Errno) -> Int32
    /// Takes an exclusive lock; EWOULDBLOCK where another process has it.
    var flock: @Sendable (_ file: Int32) throws(Errno) -> Void
    /// Releases the lock and closes the file.
    ///
    /// A child of fork(2) shares the lock with its parent, and would keep it as long as it lives.
    var close: @Sendable (_ file: Int32) -> Void
    /// Sleeps for so many milliseconds.
    var pause: @Sendable (Int32) -> Void
    var isExecutable: @Sendable (_ path: String) -> Bool
    /// Starts a program in a session of its own; returns its pid.
    var spawn: @Sendable (_ program: String, _ words: [String], _ environment: [String]) throws(Errno) -> Int32
    /// Waits for a child to end; returns its status as waitpid(2) gives it.
    var wait: @Sendable (_ pid: Int32) throws(Errno) -> Int32
    /// The file that this process runs.
    var executable: @Sendable () -> String?
    /// The library that holds this code; nil where the code is part of the program.
    var library: @Sendable () -> String?
    /// Whether this process has more rights than its user.
    var isSecureExecution: @Sendable () -> Bool

    /// The kernel's calls.
    static let system = LaunchCalls(
        open: { path throws(Errno) in
            let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
            return try checked(chatelaine_above_standard(Glibc.open(path, flags, 0o600)))
        },
        flock: { file throws(Errno) in _ = try checked(lockAlone(file)) },
        close: { file in
            unlock(file)
            _ = Glibc.close(file)
        },
        pause: { milliseconds in _ = poll(nil, 0, milliseconds) },
        isExecutable: { path in access(path, X_OK) == 0 },
        spawn: { program, words, environment throws(Errno) in
            var arguments = words.map { (word: String) in strdup(word) } + [nil]
            var settings = environment.map { (variable: String) in strdup(variable) } + [nil]
            defer { for string in arguments + settings { free(string) } }
            // SAFETY: both arrays hold C strings that live until the call is over, and end in nil.
            return try checked(chatelaine_spawn_detached(program, &arguments, &settings))
        },
        wait: { pid throws(Errno) in
            var status: Int32 = 0
            // SAFETY: the call writes the one number.
            _ = try checked(waitpid(pid, &status, 0))
            return status
        },
        executable: {
            var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
            // SAFETY: readlink writes at most `count` bytes and tells how many.
            let count = buffer.withUnsafeMutableBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    readlink("/proc/self/exe", $0.baseAddress.unsafelyUnwrapped, $0.count)
                }
            }
            return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
        },
        library: {
            // SAFETY: the string lives as long as the code it names.
            guard let name = chatelaine_code_path() else { return nil }
            return try? RealPath.of(String(cString: name))
        },
        isSecureExecution: { chatelaine_is_secure_execution() != 0 })

    private static func checked(_ result: Int32) throws(Errno) -> Int32 {
        guard result >= 0 else { throw .last }
        return result
    }
}

// Outside of `LaunchCalls`, `flock` names neither the closure nor the structure of fcntl(2).
private func lockAlone(_ file: Int32) -> Int32 { flock(file, LOCK_EX | LOCK_NB) }
private func unlock(_ file: Int32) { _ = flock(file, LOCK_UN) }
