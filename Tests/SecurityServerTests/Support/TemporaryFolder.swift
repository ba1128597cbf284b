import Glibc

/// A folder of one test's own, removed at its end.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/chatelaine-server-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Failure(code: errno) }
        path = String(cString: made)
    }

    deinit { Self.remove(path) }

    struct Failure: Error { let code: Int32 }

    static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }

    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
