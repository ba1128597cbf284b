import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import Security

/// Callbacks in a child of fork(2).
struct CallbackForkTests {
    @Test func aChildDoesNotWaitForWhatItsParentAddsAtThatMoment() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            mkdir(folder("run"), 0o700)
            // A daemon that takes connections and says nothing.
            let silent = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            try #require(chatelaine_unix_bind(silent, folder("run/securityd.sock")) == 0 && listen(silent, 4) == 0)
            setenv("CHATELAINE_HOME", folder.path, 1)
            let isStarted = Worker.start { try? KeychainCallbacks.shared.add(FunctionIdentity(1), mask: 1) { _ in } }
            try #require(isStarted)
            // The connection shows that the other thread is within its call.
            let connection = accept(silent, nil, nil)
            try #require(connection >= 0)
            let isFine = ForkedChild.run {
                do throws(KeychainError) {
                    try KeychainCallbacks.shared.remove(FunctionIdentity(1))
                    return false
                } catch { return error.status == .invalidCallback }
            }
            TemporaryFolder.remove(folder.path)
            exit(isFine ? 0 : 1)
        }
    }
}
