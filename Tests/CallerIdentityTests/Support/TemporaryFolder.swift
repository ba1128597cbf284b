import Foundation
import Testing

/// A folder of one test, removed with everything in it.
final class TemporaryFolder {
    let path: String

    /// - Parameter isRootOnly: below folders that only root may write, instead of in /tmp.
    init(isRootOnly: Bool = false, owner: uid_t? = nil) throws {
        var template = Array("\(isRootOnly ? "/var/lib" : "/tmp")/chatelaine-test-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        chmod(path, 0o755)
        if let owner { try #require(chown(path, owner, owner) == 0) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// A copy of `cat`, in place of what stood there; its content differs from other copies when `padding` does.
    @discardableResult
    func program(_ name: String = "app", padding: String = "", owner: uid_t? = nil) throws -> String {
        let target = self(name)
        try Self.copyProgram(to: target, padding: padding)
        if let owner { try #require(chown(target, owner, owner) == 0) }
        return target
    }

    /// Another process writes the copy: a descriptor of ours that is open for writing could be inherited by a child
    /// that another test starts just then, and the kernel refuses to run a file that somebody may write.
    static func copyProgram(to target: String, padding: String = "") throws {
        let script = "rm -f \"$1\" && cat /usr/bin/cat > \"$1\" && printf %s \"$2\" >> \"$1\" && chmod 755 \"$1\""
        let copier = try Child(["/bin/sh", "-c", script, "sh", target, padding])
        try #require(copier.succeeds())
    }
}
