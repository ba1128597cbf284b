import CallerIdentity
import ChatelaineModel
import ChatelaineSystem
import Glibc
import SystemCalls
import TestSupport

@testable import SecurityServer

/// A folder with keychain preferences and their keepers, whose notifications are recorded.
final class PreferencesHousehold: Sendable {
    let folder: TemporaryFolder
    let folders = KeychainFolders(user: "/k", machine: "/machine")
    /// The content of the machine's file.
    let machine = AdaptiveMutex<RootFile>(.missing)
    private let changes = AdaptiveMutex<[KeychainPreferencesChange]>([])

    init() throws { folder = try TemporaryFolder() }

    var path: String { folder("keychain-preferences") }
    var log: String { String(decoding: TemporaryFolder.read(folder("log")), as: UTF8.self) }

    /// A new keeper, as after a start.
    ///
    /// It reads the file once, so that it notifies of later changes.
    func keeper(
        _ files: FileCalls = .system, owner: uid_t = geteuid(), machine: MachinePreferences? = nil
    ) -> KeychainPreferencesKeeper {
        let keeper = KeychainPreferencesKeeper(
            KeychainPreferencesFile(folder: folder.path, files: files, owner: owner), folders: folders,
            machine: machine ?? MachinePreferences(read: { [self] in self.machine.withLock { $0 } }),
            log: Log(file: folder("log")),
            changed: { [self] new, _ in changes.withLock { $0 += new } })
        _ = try? keeper.searchList(of: .user)
        return keeper
    }

    func list(_ keeper: KeychainPreferencesKeeper) throws -> [String] {
        try keeper.searchList(of: .user).map(\.text)
    }

    /// The notifications since the last call.
    func takeChanges() -> [KeychainPreferencesChange] {
        changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
    }

    func cause(_ body: () throws -> Void) -> KeychainError.Cause? {
        do { try body() } catch { return (error as? KeychainError)?.cause }
        return nil
    }
}
