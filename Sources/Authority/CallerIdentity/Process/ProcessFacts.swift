import ChatelaineSystem
import Glibc

/// Facts that `/proc` gives about a process, read through an open folder (proc(5)).
///
/// Only entries whose reads never wait are used. Reads of `environ`, `cmdline` and `maps` wait for the lock of the
/// process's memory. A read of `stat` waits while the process executes something (decision 8). The process can make
/// either take as long as it likes. So what ``StartEnvironment`` needs is read by a process that can be killed.
enum ProcessFacts {
    /// In bytes. `/proc/PID/stat` and `status` stay below this; the rest of a longer one is not read.
    static let longestStatus = 8192

    /// The start time of the process: field 22 of `/proc/PID/stat`.
    static func startTime(in folder: Int32, system: IdentitySystemCalls) throws(Errno) -> UInt64 {
        let stat = try system.files.contents(of: "stat", in: folder, limit: longestStatus)
        // Field 2 is the name, which may contain blanks and brackets, so fields are counted from the last bracket on.
        guard let bracket = stat.lastIndex(of: UInt8(ascii: ")")) else { throw .noProcess }
        let fields = stat[(bracket + 1)...].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: true)
        guard fields.count > 19, let time = number(fields[19]) else { throw .noProcess }
        return time
    }

    /// The pid that a pidfd stands for, or nil when its process has been reaped.
    static func pid(ofPidfd pidfd: Int32, system: IdentitySystemCalls) throws(Errno) -> pid_t? {
        let facts = try system.files.contents(of: "/proc/self/fdinfo/\(pidfd)", in: AT_FDCWD, limit: longestStatus)
        return value(of: "Pid", in: facts).flatMap { number($0) }.flatMap { pid_t(exactly: $0) }
    }

    /// The number of the mount through which one of the daemon's descriptors was opened.
    ///
    /// No other mount has the number while the descriptor is open. The number comes from fdinfo, which every kernel has
    /// (proc(5)); statx(2) reports mounts only since Linux 5.8.
    static func mount(of descriptor: Int32, system: IdentitySystemCalls) throws(Errno) -> UInt64 {
        let facts = try system.files.contents(of: "/proc/self/fdinfo/\(descriptor)", in: AT_FDCWD, limit: longestStatus)
        guard let mount = value(of: "mnt_id", in: facts).flatMap({ number($0) }) else { throw Errno(ENODATA) }
        return mount
    }

    /// Whether a debugger is attached.
    static func isTraced(in folder: Int32, system: IdentitySystemCalls) -> Bool {
        guard let status = try? system.files.contents(of: "status", in: folder, limit: longestStatus) else {
            return false
        }
        return value(of: "TracerPid", in: status).flatMap { number($0) } ?? 0 != 0
    }

    /// The name that the program gives itself, with unprintable characters removed.
    ///
    /// A program can choose any text.
    static func name(in folder: Int32, system: IdentitySystemCalls) -> String? {
        guard let bytes = try? system.files.contents(of: "comm", in: folder, limit: 64) else { return nil }
        let name = bytes.filter { $0 > 0x20 && $0 < 0x7F }
        return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    }

    private static func value(of key: String, in lines: [UInt8]) -> ArraySlice<UInt8>? {
        lines.split(separator: UInt8(ascii: "\n"))
            .first { $0.starts(with: key.utf8) && $0.dropFirst(key.utf8.count).first == UInt8(ascii: ":") }
            .map { $0.dropFirst(key.utf8.count + 1).drop { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") } }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        UInt64(String(decoding: digits, as: UTF8.self))
    }
}
