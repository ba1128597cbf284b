import ChatelaineSystem
import Glibc

/// What `/proc` says of a process, read through an open folder (proc(5)).
///
/// Only entries that wait for nothing. `environ`, `cmdline` and `maps` wait for the lock of the process's memory, and `stat` while it executes
/// something (decision 8); it can take as long as it likes for either. What ``StartEnvironment`` reads is read by who can be ended.
enum ProcessFacts {
    /// `/proc/PID/stat` and `status` stay below this; a longer one is not read further.
    static let longestStatus = 8192

    /// Field 22 of `/proc/PID/stat`.
    static func startTime(in folder: Int32, system: IdentityCalls) throws(Errno) -> UInt64 {
        let stat = try system.files.contents(of: "stat", in: folder, limit: longestStatus)
        // Field 2 is the name, which may hold blanks and brackets: fields are counted from the last bracket on.
        guard let bracket = stat.lastIndex(of: UInt8(ascii: ")")) else { throw .noProcess }
        let fields = stat[(bracket + 1)...].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: true)
        guard fields.count > 19, let time = number(fields[19]) else { throw .noProcess }
        return time
    }

    /// The pid that a pidfd stands for, or nil when its process has been reaped.
    static func pid(ofPidfd pidfd: Int32, system: IdentityCalls) throws(Errno) -> pid_t? {
        let facts = try system.files.contents(of: "/proc/self/fdinfo/\(pidfd)", in: AT_FDCWD, limit: longestStatus)
        return value(of: "Pid", in: facts).flatMap { number($0) }.flatMap { pid_t(exactly: $0) }
    }

    /// The number of the mount through which a descriptor of ours was opened; no other has it while that is held open.
    ///
    /// From fdinfo, which every kernel has (proc(5)), where statx(2) tells of mounts since Linux 5.8 only.
    static func mount(of descriptor: Int32, system: IdentityCalls) throws(Errno) -> UInt64 {
        let facts = try system.files.contents(of: "/proc/self/fdinfo/\(descriptor)", in: AT_FDCWD, limit: longestStatus)
        guard let mount = value(of: "mnt_id", in: facts).flatMap({ number($0) }) else { throw Errno(ENODATA) }
        return mount
    }

    /// Whether a debugger is attached.
    static func isTraced(in folder: Int32, system: IdentityCalls) -> Bool {
        guard let status = try? system.files.contents(of: "status", in: folder, limit: longestStatus) else {
            return false
        }
        return value(of: "TracerPid", in: status).flatMap { number($0) } ?? 0 != 0
    }

    /// The name that the program gives itself, fit for a message; any text can stand there.
    static func name(in folder: Int32, system: IdentityCalls) -> String? {
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
