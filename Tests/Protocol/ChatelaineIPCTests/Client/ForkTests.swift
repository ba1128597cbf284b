import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import ChatelaineIPC

/// Tests that a child has its own connections after fork(2).
///
/// Each test is a process of its own, since only one thread survives.
struct ForkTests {
    @Test func theChildConnectsAnew() async {
        await #expect(processExitsWith: .success) {
            let daemon = try FakeDaemon()
            let client = daemon.makeClient()
            try client.delete(KeychainClientTests.query)
            let isFine = ForkedChild.run {
                (try? client.delete(KeychainClientTests.query)) != nil
                    && (try? client.delete(KeychainClientTests.query)) != nil
            }
            try #require(isFine)
            // The parent's connection is untouched, and the child has a second one.
            try client.delete(KeychainClientTests.query)
            #expect(daemon.now.connections == 2 && daemon.requests.count == 4)
            exit(daemon.now.connections == 2 ? 0 : 1)
        }
    }

    @Test func theChildClosesWhatItInheritedAndNothingElse() async {
        await #expect(processExitsWith: .success) {
            let daemon = try FakeDaemon()
            let client = daemon.makeClient()
            try client.delete(KeychainClientTests.query)
            let path = try client.deployment.socketPath
            let sockets = (3..<1024).filter { Self.isConnection(Int32($0), to: path) }
            try #require(sockets.count == 1)
            let number = Int32(sockets[0])
            let closes = ForkedChild.run {
                // The child's own connection may get the same number.
                let inherited = Self.inode(of: number)
                return (try? client.delete(KeychainClientTests.query)) != nil && Self.inode(of: number) != inherited
            }
            try #require(closes)
            // A child that becomes a daemon closes everything, and may open another file under the same number.
            let keeps = ForkedChild.run {
                let file = open("/dev/null", O_RDONLY)
                dup2(file, number)
                guard (try? client.delete(KeychainClientTests.query)) != nil else { return false }
                var status = stat()
                return fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
            }
            exit(keeps ? 0 : 1)
        }
    }

    /// Whether a descriptor is the client's end of a connection; the process may have inherited other sockets.
    private static func isConnection(_ number: Int32, to path: String) -> Bool {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(number, $0, &size) }
        }
        return result == 0
            && withUnsafeBytes(of: address.sun_path) { $0.prefix { $0 != 0 }.elementsEqual(path.utf8) }
    }

    private static func inode(of number: Int32) -> UInt? {
        var status = stat()
        return fstat(number, &status) == 0 ? status.st_ino : nil
    }
}
