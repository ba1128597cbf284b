import Foundation
import Testing

/// The processes of this machine, as `/proc` describes them.
enum ProcessTable {
    static var pids: [pid_t] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
    }

    static func children(of parent: pid_t) -> [pid_t] {
        pids.filter { pid in
            guard let (state, itsParent) = status(of: pid) else { return false }
            return state != UInt8(ascii: "Z") && itsParent == parent
        }
    }

    /// The state of a process and its parent, by `/proc/PID/stat`.
    ///
    /// Tests look at hundreds of processes again and again, and texts of Foundation are slow in a debug build.
    private static func status(of pid: pid_t) -> (state: UInt8, parent: pid_t)? {
        let file = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // The name, which may contain anything, has 63 bytes at the most. State and parent follow its bracket.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { line in
            let count = read(file, line.baseAddress, line.count - 1)
            guard count > 0, let start = line.baseAddress else { return nil }
            line[count] = 0
            guard let bracket = strrchr(start, Int32(UInt8(ascii: ")"))), strlen(bracket) > 4 else { return nil }
            return (UInt8(bitPattern: bracket[2]), pid_t(atoi(bracket + 4)))
        }
    }

    /// Whether the process is gone, or has ended without being reaped; its next parent may be slow.
    static func hasEnded(_ pid: pid_t) -> Bool {
        let state = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        return state.isEmpty || state.contains(") Z ")
    }

    /// The name that the process gives itself.
    static func name(of pid: pid_t) -> String? {
        (try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)).map { $0.trimmingCharacters(in: .newlines) }
    }

    static func holders(of path: String) -> [pid_t] {
        pids.filter { pid in
            let folder = "/proc/\(pid)/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.contains { name in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) == path
            }
        }
    }

    /// The processes of a user with that name.
    static func named(_ name: String, of user: uid_t) -> [pid_t] {
        pids.filter { pid in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "/proc/\(pid)")
            return attributes?[.ownerAccountID] as? UInt32 == user && self.name(of: pid) == name
        }
    }

    /// The sockets of a process, each by the name of its end.
    static func sockets(of pid: pid_t) -> Set<String> {
        let folder = "/proc/\(pid)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Set(
            names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
                .filter { $0.hasPrefix("socket:") })
    }

    /// A figure of `/proc/PID/status`, in KiB.
    static func kibibytes(_ name: String, of pid: pid_t) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// The writable places in memory that hold a text; needs root for another user's process.
    static func places(of text: String, inMemoryOf pid: pid_t) throws -> [String] {
        let maps = FileHandle(forReadingAtPath: "/proc/\(pid)/maps")?.readDataToEndOfFile() ?? Data()
        let memory = try #require(FileHandle(forReadingAtPath: "/proc/\(pid)/mem"))
        var places: [String] = []
        for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            let bounds = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard bounds.count == 2, words[1].hasPrefix("rw") else { continue }
            var bytes = Data(count: Int(bounds[1] - bounds[0]))
            let count = bytes.withUnsafeMutableBytes {
                pread(memory.fileDescriptor, $0.baseAddress, $0.count, off_t(bounds[0]))
            }
            guard count > 0, bytes.range(of: Data(text.utf8)) != nil else { continue }
            places.append("\(words[0]) \(words.dropFirst(5).joined(separator: " "))")
        }
        return places
    }
}
