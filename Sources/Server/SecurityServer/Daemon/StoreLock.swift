import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem

/// The lock that makes this process the one daemon of its data folder.
///
/// Only its holder removes a stale socket.
///
/// The file names the holder's socket, so that a program whose environment names another runtime folder finds the
/// socket. An example is a program that cron started before its user logged in.
final class StoreLock {
    let path: String
    private let files: FileCalls
    private let file: Descriptor

    private init(_ file: consuming Descriptor, _ path: String, _ files: FileCalls) {
        self.file = file
        self.path = path
        self.files = files
    }

    /// Takes the lock; nil when another daemon holds it.
    ///
    /// Throws `errSecNotAvailable` or `errSecReadOnly` for a folder that cannot be used.
    static func take(folder: String, files: FileCalls = .system) throws(KeychainError) -> StoreLock? {
        try RuntimeFolder.makeFolders(folder)
        let path = folder + "/daemon.lock"
        do throws(Errno) {
            guard let file = try locked(path, files) else { return nil }
            return StoreLock(file, path, files)
        } catch { throw KeychainError(system: error.code, path) }
    }

    private static func locked(_ path: String, _ files: FileCalls) throws(Errno) -> Descriptor? {
        do throws(Errno) { return try files.lock(at: path) } catch .readOnly {
            // This is no error here: later calls report it, and flock(2) works without writing.
            return try files.lock(at: path, .read)
        }
    }

    /// Writes the path of the holder's socket into the lock file, once.
    ///
    /// It is not synced, since the lock ends with its holder.
    ///
    /// Where the write fails, as on a read-only disk, only programs whose environment leads to the socket find it.
    func announce(socketPath: String) { try? files.overwrite(file.number, with: Array(socketPath.utf8)) }
}
