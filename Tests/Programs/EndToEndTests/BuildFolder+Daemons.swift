import Foundation
import TestSupport

extension BuildFolder {
    /// Where the package in Trust is built (`make build CONFIGURATION=debug`, which `make test` begins with).
    private static let trust = "\(path)/../../trust/debug"

    /// A folder of the daemons that any user can run; the build folder may lie in a home that others cannot enter.
    static let daemons: String = {
        var template = Array("/tmp/chatelaine-daemons-XXXXXX".utf8CString)
        guard let folder = mkdtemp(&template).map({ String(cString: $0) }) else { return path }
        chmod(folder, 0o755)
        let built =
            ["securityd", "enclaved", "keyd", "security-agent", "formatd", "fetchd"].map { (path, $0) }
            + ["trustd", "security-sign"].map { (trust, $0) }
        for (path, name) in built where link("\(path)/\(name)", "\(folder)/\(name)") != 0 {
            // A process of its own copies the file. A child that another test starts meanwhile would hold our copy open
            // for writing.
            _ = try? CommandRun(["/bin/cp", "\(path)/\(name)", folder])
        }
        atexit { try? FileManager.default.removeItem(atPath: BuildFolder.daemons) }
        return folder
    }()
}
