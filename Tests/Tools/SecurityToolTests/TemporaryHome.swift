import Glibc
import TestSupport

/// A Chatelaine of its own: folders for one test, whose daemon ends with it.
final class TemporaryHome {
    private let folder: TemporaryFolder
    var path: String { folder.path }

    init() throws { folder = try TemporaryFolder() }

    deinit { DaemonProcess.end(at: path + "/run/securityd.sock", signal: SIGTERM) }

    /// As programs get it, in the form of `environ`.
    var variables: [String] {
        ["CHATELAINE_HOME=\(path)", "PATH=\(BuildFolder.path):\(BuildFolder.searchPath)"]
    }
}
