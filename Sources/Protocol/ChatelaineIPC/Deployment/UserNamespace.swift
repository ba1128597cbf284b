import CChatelaine
import Glibc

/// Whether this process is in a user namespace from which no daemon for the whole session may start.
package enum UserNamespace {
    /// Whether this process is in another user namespace than PID 1.
    ///
    /// PID 1's namespace may be unreadable. The process then counts as foreign where its namespace has no number for
    /// PID 1's user, which the kernel then shows as another one (user_namespaces(7)). In a container that user has a
    /// number.
    package static var isForeign: Bool {
        var own = stat()
        var first = stat()
        guard stat("/proc/self/ns/user", &own) == 0 else { return false }
        if stat("/proc/1/ns/user", &first) == 0 { return own.st_ino != first.st_ino }
        if stat("/proc/1", &first) == 0 { return first.st_uid == unmapped }
        // PID 1 is hidden (`hidepid`). The first namespace maps every user to itself.
        guard let map = firstLine(of: "/proc/self/uid_map") else { return false }
        return map.split(separator: " ") != ["0", "0", "4294967295"]
    }

    /// The kernel's default of `/proc/sys/kernel/overflowuid`.
    private static let unmapped: uid_t = 65534

    private static func firstLine(of path: String) -> String? {
        let file = chatelaine_above_standard(open(path, O_RDONLY | O_CLOEXEC))
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 256)
        // SAFETY: read writes at most `count` bytes and tells how many.
        let count = buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
