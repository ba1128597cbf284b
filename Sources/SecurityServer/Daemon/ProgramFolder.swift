import Glibc

/// Where the running executable lies.
enum ProgramFolder {
    /// Without a final slash; `/` where `/proc` cannot tell.
    static let ofThisProcess: String = {
        guard let resolved = realpath("/proc/self/exe", nil) else { return "/" }
        defer { free(resolved) }
        let path = String(cString: resolved)
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
    }()
}
