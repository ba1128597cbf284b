import CChatelaine
import ChatelaineIPC
import ChatelaineSystem
import Foundation
import ServerIPC
import TestSupport
import Testing

/// Tests of the listening socket.
///
/// It changes the process's umask for a moment, so each test is a process of its own.
struct ListenerTests {
    private static func connect(_ path: String) -> Bool {
        let socket = Descriptor(chatelaine_unix_socket())
        return chatelaine_unix_connect(socket.number, path) == 0
    }

    @Test func itIsTheUsersAloneAndTakesThePlaceOfADeadOne() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.path + "/socket"
            for _ in 0..<2 {
                // The second listener finds the socket that the first left behind.
                let listener = try Listener(path: path)
                var status = stat()
                #expect(lstat(path, &status) == 0 && status.st_mode == S_IFSOCK | 0o600)
                #expect(Self.connect(path))
                let accepted = listener.accept()
                guard let accepted else { exit(1) }
                #expect(fcntl(accepted.number, F_GETFD) & FD_CLOEXEC != 0)
            }
            #expect(!Self.connect(path))
            exit(0)
        }
    }

    @Test func aPathThatNoSocketCanHave() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            for path in [folder.path + "/none/socket", folder.path + "/" + String(repeating: "x", count: 200)] {
                guard (try? Listener(path: path)) == nil else { exit(1) }
            }
            exit(0)
        }
    }
}
