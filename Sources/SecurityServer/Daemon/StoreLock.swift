import ChatelaineIPC
import ChatelaineModel
import Glibc

/// The lock that makes this process the one daemon of its data folder; its holder alone removes a stale socket.
final class StoreLock {
    private let file: Descriptor

    /// Nil when another daemon holds the lock. Throws `errSecNotAvailable` or `errSecReadOnly` for a folder that
    /// cannot be used.
    init?(folder: String) throws(KeychainError) {
        try RuntimeFolder.makeFolders(folder)
        let path = folder + "/daemon.lock"
        var number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        // A read-only disk is for the calls to tell of; flock(2) does without writing.
        if number < 0, errno == EROFS { number = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        let file = Descriptor(number)
        guard file.number >= 0 else { throw KeychainError.folder(path, errno) }
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw KeychainError.folder(path, errno) }
            return nil
        }
        self.file = file
    }
}
