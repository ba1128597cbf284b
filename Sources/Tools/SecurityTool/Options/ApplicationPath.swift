import ChatelaineSystem
import Glibc

/// Makes the path of a program in the form that the daemon uses.
enum ApplicationPath {
    /// The absolute path, with links resolved if the file exists. Throws ``ToolError``.
    static func absolute(_ path: String, mustExist: Bool) throws(ToolError) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .usage("a path is missing") }
        do throws(Errno) { return try RealPath.of(path) } catch {
            guard !mustExist else { throw .failure("\(path): \(error)") }
        }
        if path.utf8.first == UInt8(ascii: "/") { return normal(path) }
        // SAFETY: glibc's getcwd gives nil, or a string from malloc that is freed once it is copied.
        guard let current = getcwd(nil, 0) else {
            throw .failure("the current folder cannot be found out: \(Errno.last)")
        }
        defer { free(current) }
        return normal(String(cString: current) + "/" + path)
    }

    /// The path without empty components, dots and double dots.
    private static func normal(_ path: String) -> String {
        var components: [Substring] = []
        // The kernel splits by bytes too; as characters, a slash and a combining accent would be one.
        for component in path.utf8.split(separator: UInt8(ascii: "/")) where !component.elementsEqual(".".utf8) {
            if component.elementsEqual("..".utf8) {
                _ = components.popLast()
            } else {
                components.append(Substring(component))
            }
        }
        return "/" + components.joined(separator: "/")
    }
}
