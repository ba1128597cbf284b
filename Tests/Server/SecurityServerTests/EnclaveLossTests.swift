import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SecurityServer

/// The real enclaved ends: who is told, and who is woken.
@Suite struct EnclaveLossTests {
    private let folder: TemporaryFolder
    private let launcher: CustodianProcesses
    private let connection: EnclaveConnection

    init() throws {
        folder = try TemporaryFolder()
        launcher = CustodianProcesses(stateFolder: folder.path + "/enclave")
        connection = EnclaveConnection(launcher: launcher, log: Log(file: folder.path + "/log"))
        _ = try connection.call(ReadCustodianReport())
    }

    /// Dialogs of the former custodian and keychains that it had open depend on being told.
    @Test func whoOpensAChannelTellsOfTheLossToo() throws {
        let losses = AdaptiveMutex(0)
        connection.whenGone { losses.withLock { $0 += 1 } }
        #expect(kill(connection.pid, SIGKILL) == 0)
        _ = try connection.takeAlone(for: nil)
        #expect(losses.withLock { $0 } == 1)
        _ = try connection.takeAlone(for: nil)
        #expect(losses.withLock { $0 } == 1)
        // Nobody lost the custodian that this process ends.
        connection.end()
        _ = try connection.takeAlone(for: nil)
        #expect(losses.withLock { $0 } == 1)
    }

    @Test func allWhoWaitForAChannelAreWoken() throws {
        let connection = connection
        let pid = connection.pid
        // The threads that hold a channel are by far outnumbered by those that wait for one.
        let held = try (0..<EnclaveConnection.maximumChannels).map { _ in try connection.take(for: nil) }
        let calls = (0..<25 * held.count).map { _ in Work { _ = try connection.call(ReadCustodianReport()) } }
        // It takes them no longer to wait than it takes to start threads; those that come later wait for nothing.
        usleep(200_000)
        launcher.isBarred.store(true, ordering: .relaxed)
        #expect(kill(pid, SIGKILL) == 0)
        connection.lose(held[0].generation, because: FrameError.closed)
        for call in calls { #expect(throws: KeychainError(.notAvailable, "")) { try call.value() } }
    }
}
