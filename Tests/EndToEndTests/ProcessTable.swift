import Foundation

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

    static func holders(of path: String) -> [pid_t] {
        pids.filter { pid in
            let folder = "/proc/\(pid)/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.contains { name in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) == path
            }
        }
    }

    /// A figure of `/proc/PID/status`, in KiB.
    static func kibibytes(_ name: String, of pid: pid_t) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
