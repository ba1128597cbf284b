import Glibc

/// Paths without links, dots and doubled slashes: realpath(3).
package enum RealPath {
    /// The path of the file or folder that a path leads to.
    package static func of(_ path: String) throws(Errno) -> String {
        // SAFETY: realpath gives nil, or a string from malloc that is freed once it is copied.
        guard let resolved = realpath(path, nil) else { throw .last }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The folder of the file that this process runs, without a final slash; nil where `/proc` does not show it.
    package static var folderOfThisProgram: String? {
        guard let path = try? of("/proc/self/exe") else { return nil }
        return path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) }
    }
}
