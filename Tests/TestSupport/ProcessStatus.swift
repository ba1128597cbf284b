import Glibc

/// The status of a process in `/proc/PID/status`.
package struct ProcessStatus {
    package struct NeverSo: Error {}

    private let pid: pid_t

    package init(of pid: pid_t) { self.pid = pid }

    /// The first word of a line; nil without such a line or such a process.
    package func fact(_ name: String) -> String? {
        let text = String(decoding: TemporaryFolder.read("/proc/\(pid)/status"), as: UTF8.self)
        return text.split(separator: "\n").first { $0.hasPrefix(name + ":") }?
            .dropFirst(name.count + 1).split(separator: "\t").first.map(String.init)
    }

    /// Waits until the process is sandboxed: under a seccomp filter, or under `filters` of them.
    package func waitUntilShutIn(filters: Int? = nil) throws {
        for _ in 0..<1000 {
            if let filters {
                if fact("Seccomp_filters") == "\(filters)" { return }
            } else if fact("Seccomp") == "2" {
                return
            }
            usleep(10_000)
        }
        throw NeverSo()
    }
}
