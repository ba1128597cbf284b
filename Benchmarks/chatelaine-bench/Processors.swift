import CChatelaine
import Glibc

/// Chooses the processors on which this process and the daemons run.
enum Processors {
    /// Keeps this process, the processes that it starts from now on, and the daemons to processor 0.
    static func keepToOne(with daemons: Daemons? = nil) throws { try set(daemons, one: true) }

    /// Lets this process and the daemons use all processors.
    static func useAll(with daemons: Daemons? = nil) throws { try set(daemons, one: false) }

    private static func set(_ daemons: Daemons?, one: Bool) throws {
        for process in [getpid()] + (daemons.map { [$0.securityd, $0.enclaved] } ?? []) {
            for thread in threads(of: process) {
                // ESRCH: the thread has ended meanwhile.
                guard chatelaine_set_processors(thread, one ? 1 : 0) == 0 || errno == ESRCH else {
                    throw BenchError("processors cannot be chosen: \(String(cString: strerror(errno)))")
                }
            }
        }
    }

    private static func threads(of process: Int32) -> [Int32] {
        guard let folder = opendir("/proc/\(process)/task") else { return [] }
        defer { closedir(folder) }
        var threads: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let thread = Int32(name) { threads.append(thread) }
        }
        return threads
    }
}
