import Glibc
import TestSupport

/// The folder for the files of a run, in memory where possible: no file outlives the run.
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

    /// The home in which a scenario runs; nothing reads its parent.
    static var home: String { path + "/home" }

    static func clear() {
        TemporaryFolder.remove(path)
    }
}
