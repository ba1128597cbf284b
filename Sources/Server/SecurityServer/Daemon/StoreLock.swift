import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The lock that makes this process the one daemon of its data folder.
///
/// Only its holder removes a stale socket.
///
/// The file names the holder's socket, so that a program whose environment names another runtime folder finds the
/// socket. An example is a program that cron started before its user logged in.
final class StoreLock {
    private let file: Descriptor

    /// Takes the lock; nil when another daemon holds it.
    ///
    /// Throws `errSecNotAvailable` or `errSecReadOnly` for a folder that cannot be used.
    init?(folder: String) throws(KeychainError) {
        try RuntimeFolder.makeFolders(folder)
        let path = folder + "/daemon.lock"
        let careful = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        var number = open(path, O_RDWR | O_CREAT | careful, 0o600)
        // A read-only disk is no error here: later calls report it, and flock(2) works without writing.
        if number < 0, errno == EROFS { number = open(path, O_RDONLY | careful) }
        let file = Descriptor(number)
        guard file.number >= 0 else { throw KeychainError(system: errno, path) }
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw KeychainError(system: errno, path) }
            return nil
        }
        self.file = file
    }

    /// Writes the path of the holder's socket into the lock file.
    ///
    /// It is not synced, since the lock ends with its holder.
    ///
    /// Where the write fails, as on a read-only disk, only programs whose environment leads to the socket find it.
    func announce(socketPath: String) {
        var path = socketPath
        guard ftruncate(file.number, 0) == 0 else { return }
        path.withUTF8 { _ = pwrite(file.number, $0.baseAddress, $0.count, 0) }
    }
}
