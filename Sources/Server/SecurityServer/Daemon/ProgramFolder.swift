import Glibc

/// Where the running executable lies.
enum ProgramFolder {
    /// Without a final slash; `/` where `/proc` cannot tell.
    static let ofThisProcess: String = {
        guard let resolved = realpath("/proc/self/exe", nil) else { return "/" }
        defer { free(resolved) }
        let path = String(cString: resolved)
        return path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "/"
    }()
}
