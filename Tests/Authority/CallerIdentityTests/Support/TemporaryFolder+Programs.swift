import Glibc
import TestSupport
import Testing

extension TemporaryFolder {
    /// One that anybody may look into.
    ///
    /// - Parameter isRootOnly: below folders that only root may write, instead of in /tmp.
    convenience init(isRootOnly: Bool, owner: uid_t? = nil) throws {
        try self.init(in: isRootOnly ? "/var/lib" : "/tmp", mode: 0o755, owner: owner)
    }

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
        try #require(try CommandRun(["/bin/sh", "-c", script, "sh", target, padding]).end == .exited(0))
    }
}
