import Glibc
import TestSupport

/// One test's own Chatelaine: folders whose daemon ends with them.
final class TemporaryHome {
    private let folder: TemporaryFolder
    var path: String { folder.path }

    init() throws { folder = try TemporaryFolder() }

    deinit { DaemonProcess.end(at: path + "/run/securityd.sock", signal: SIGTERM) }

    /// The variables for a program, in the form of `environ`.
    var variables: [String] {
        ["CHATELAINE_HOME=\(path)", "PATH=\(BuildFolder.path):\(BuildFolder.searchPath)"]
    }
}
