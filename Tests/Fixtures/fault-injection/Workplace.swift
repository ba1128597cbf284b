import Glibc
import TestSupport

/// Where a run has its files: in memory where that can be had, since nothing here is to outlive it.
enum Workplace {
    static let path: String = {
        for folder in ["/dev/shm", "/tmp"] {
            var template = Array("\(folder)/chatelaine-faults-XXXXXX".utf8CString)
            if mkdtemp(&template) != nil {
                return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            }
        }
        Output.end("no folder can be made")
    }()

    /// The home that a scenario lives in; its parent is never looked at.
    static var home: String { path + "/home" }

    static func clear() {
        TemporaryFolder.remove(path)
    }
}
