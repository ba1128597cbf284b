import ChatelaineIPC
import ChatelaineModel
import Glibc

/// The processes of the two daemons.
struct Daemons {
    let securityd: Int32
    let enclaved: Int32

    /// Finds the daemons that answer now.
    static func running() throws -> Daemons {
        let report = try KeychainClient.shared.status()
        guard case .number(let securityd)? = report["daemon.pid"], case .number(let enclaved)? = report["enclave.pid"]
        else { throw BenchError("securityd does not tell its pid") }
        return Daemons(securityd: Int32(securityd), enclaved: Int32(enclaved))
    }

    /// Ends both daemons and waits for their exit.
    func stop() {
        kill(securityd, SIGTERM)
        while kill(securityd, 0) == 0 || kill(enclaved, 0) == 0 { usleep(1000) }
    }

    /// The proportional set size of both daemons in MiB; nil where /proc does not show it (without root).
    var pss: Double? {
        guard let first = Self.pss(of: securityd), let second = Self.pss(of: enclaved) else { return nil }
        return Double(first + second) / 1024
    }

    private static func pss(of pid: Int32) -> Int? {
        guard let file = fopen("/proc/\(pid)/smaps_rollup", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 512)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("Pss:") else { continue }
            return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        }
        return nil
    }
}
