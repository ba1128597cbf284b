import Foundation
import Testing

/// What `/proc` says of the processes on this machine.
enum ProcessTable {
    static var pids: [pid_t] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
    }

    static func children(of parent: pid_t) -> [pid_t] {
        pids.filter { pid in
            guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
                let bracket = stat.lastIndex(of: ")")
            else { return false }
            let fields = stat[stat.index(after: bracket)...].split(separator: " ")
            return fields.count > 1 && fields[0] != "Z" && pid_t(fields[1]) == parent
        }
    }

    /// Whether it is gone, or has ended and was not reaped yet: its next parent may be slow.
    static func hasEnded(_ pid: pid_t) -> Bool {
        let state = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        return state.isEmpty || state.contains(") Z ")
    }

    /// What the process calls itself.
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

    /// Those of a user's that call themselves so.
    static func named(_ name: String, of user: uid_t) -> [pid_t] {
        pids.filter { pid in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "/proc/\(pid)")
            return attributes?[.ownerAccountID] as? UInt32 == user && self.name(of: pid) == name
        }
    }

    /// The sockets that a process has, each by the name of that end.
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

    /// The writable places in memory at which a text stands; needs root where the process is not ours.
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
