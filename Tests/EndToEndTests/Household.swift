import ChatelaineIPC
import Foundation
import Testing

/// A Chatelaine of its own for one test: a private home, the built daemons, and programs that are applications.
///
/// The daemon starts by itself with the first call. `dismiss()` ends it by the pid that it tells.
final class Household: Sendable {
    let home: String
    let uid: UInt32

    /// - Parameter uid: whose household it is; another than ours needs root, which these tests have in CI.
    init(uid: UInt32 = geteuid()) throws {
        self.uid = uid
        var template = Array("/tmp/chatelaine-test-XXXXXX".utf8CString)
        home = try #require(mkdtemp(&template).map { String(cString: $0) })
        if uid != geteuid() { try #require(chown(home, uid, uid) == 0) }
    }

    deinit { try? FileManager.default.removeItem(atPath: home) }

    var variables: [String: String] {
        ["CHATELAINE_HOME": home, "CHATELAINE_LIBEXEC": BuildFolder.path, "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"]
    }

    /// A client within the test process, for what `Security` does not show.
    var client: KeychainClient {
        let home = home
        var environment = ProcessEnvironment.current
        environment.variable = { name in
            switch name {
            case "CHATELAINE_HOME": home
            case "CHATELAINE_LIBEXEC": BuildFolder.path
            default: nil
            }
        }
        environment.uid = uid
        return KeychainClient(deployment: .current(environment), environment: environment)
    }

    /// A copy of the probe under a name, owned by the household's user: an application of its own.
    func application(_ name: String) throws -> String {
        let path = "\(home)/\(name)"
        try FileManager.default.copyItem(atPath: "\(BuildFolder.path)/probe", toPath: path)
        if uid != geteuid() { try #require(chown(path, uid, uid) == 0) }
        return path
    }

    /// Ends the daemon, if one runs.
    func dismiss() {
        guard let pid = daemonPID else { return }
        kill(pid, SIGKILL)
    }

    /// The daemon's process, from the lock that it holds.
    var daemonPID: Int32? {
        var peer: Int32?
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("\(home)/run/securityd.sock".utf8CString)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.map { UInt8(bitPattern: $0) }) }
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        var size = socklen_t(12)
        if isConnected, getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 {
            peer = credentials.pid
        }
        return peer
    }
}
