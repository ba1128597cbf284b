import Glibc
import TestSupport
import Testing

extension TemporaryFolder {
    /// Makes a folder that anybody may read.
    ///
    /// - Parameter isRootOnly: Whether it is below folders that only root may write, instead of in /tmp.
    convenience init(isRootOnly: Bool, owner: uid_t? = nil) throws {
        try self.init(in: isRootOnly ? "/var/lib" : "/tmp", mode: 0o755, owner: owner)
    }

    /// Makes a copy of `cat` in place of any former file. Another `padding` gives it other content.
    @discardableResult
    func program(_ name: String = "app", padding: String = "", owner: uid_t? = nil) throws -> String {
        let target = self(name)
        try Self.copyProgram(to: target, padding: padding)
        if let owner { try #require(chown(target, owner, owner) == 0) }
        return target
    }

    /// A separate process writes the copy.
    ///
    /// Otherwise a child of another test could inherit our descriptor that is open for writing, and the kernel does not
    /// run such a file.
    static func copyProgram(to target: String, padding: String = "") throws {
        let script = "rm -f \"$1\" && cat /usr/bin/cat > \"$1\" && printf %s \"$2\" >> \"$1\" && chmod 755 \"$1\""
        try #require(try CommandRun(["/bin/sh", "-c", script, "sh", target, padding]).end == .exited(0))
    }
}
