import Foundation
import TestSupport

extension BuildFolder {
    /// The daemons where any user can run them, which may not be said of a folder in somebody's home.
    static let daemons: String = {
        var template = Array("/tmp/chatelaine-daemons-XXXXXX".utf8CString)
        guard let folder = mkdtemp(&template).map({ String(cString: $0) }) else { return path }
        chmod(folder, 0o755)
        for name in ["securityd", "enclaved", "security-agent"] {
            if link("\(path)/\(name)", "\(folder)/\(name)") != 0 {
                try? FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(folder)/\(name)")
            }
        }
        atexit { try? FileManager.default.removeItem(atPath: BuildFolder.daemons) }
        return folder
    }()
}
