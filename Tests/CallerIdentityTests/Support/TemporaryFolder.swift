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

    /// A copy of `cat`; its content differs from other copies when `padding` does.
    @discardableResult
    func program(_ name: String = "app", padding: String = "", owner: uid_t? = nil) throws -> String {
        let target = self(name)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: "/usr/bin/cat"))
        bytes.append(Data(padding.utf8))
        try bytes.write(to: URL(fileURLWithPath: target))
        try #require(chmod(target, 0o755) == 0)
        if let owner { try #require(chown(target, owner, owner) == 0) }
        return target
    }
}
