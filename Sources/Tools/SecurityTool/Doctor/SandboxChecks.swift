import ChatelaineIPC
import ChatelaineSystem

/// Reports the sandbox measures of both daemons, as the daemons report them.
enum SandboxChecks {
    private static let prefixes = ["sandbox.", "enclave.sandbox."]

    static func findings(_ report: DaemonReport) -> [Finding] {
        report.facts.compactMap { name, value in
            guard case .text(let text) = value, let prefix = prefixes.first(where: name.hasPrefix) else { return nil }
            return finding(name, measure: String(name.dropFirst(prefix.count)), text)
        }
    }

    /// - Parameter text: a word; after a colon, how far the measure goes or why it fails.
    private static func finding(_ name: String, measure: String, _ text: String) -> Finding {
        let word = text.prefix { $0 != ":" }
        let detail = text.dropFirst(word.count + 2)
        let what = words[measure] ?? measure
        let rest = detail.isEmpty ? "" : " (\(Printable.text(String(detail))))"
        switch SandboxLevel(word: String(word)) {
        case .on: return Finding(name, .ok, "\(what): on\(rest)")
        case .impossible:
            return Finding(
                name, .degraded, "\(what): impossible here\(rest)",
                remedy: remedies[measure] ?? "use a newer kernel, or a container that allows it")
        case .refused:
            return Finding(
                name, .degraded, "\(what): \(detail)",
                remedy: "restart securityd, and report this: a library changed, or something broke in")
        case .off, nil:
            return Finding(
                name, .problem, "\(what): off\(rest)", remedy: "restart securityd, and look at its log")
        }
    }

    private static let words = [
        "calls": "only the system calls that it needs", "files": "only the files that it needs",
        "privileges": "no privileges", "dumping": "no tracing and no core file", "limits": "limits of resources",
        "memory": "freed memory is overwritten", "helpers": "its helpers are shut in as well",
        "refused": "a system call was refused",
    ]

    private static let remedies = [
        "calls": "use a kernel with CONFIG_SECCOMP_FILTER, or a container that allows seccomp",
        "files": "use Linux 5.13 or newer, and boot with lsm=landlock,…",
        "memory": "use the GNU C Library 2.26 or newer, and no other allocator",
        "helpers": "as for what is impossible above",
    ]
}
