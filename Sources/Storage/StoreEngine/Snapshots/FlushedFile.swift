import ChatelaineModel
import Glibc

/// A file that somebody else writes and that is to reach the disk bit by bit.
struct FlushedFile: ~Copyable {
    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws(KeychainError) {
        self.path = path
        descriptor = StoreFolder.openFile(path, O_RDONLY)
        guard descriptor >= 0 else { throw KeychainError(file: path, "opening the file") }
    }

    deinit { close(descriptor) }

    /// Syncs what was written so far, and gives its memory back, which others have a better use for.
    func flush() throws(KeychainError) {
        guard StoreFolder.repeated({ fdatasync(descriptor) }) == 0 else {
            throw KeychainError(file: path, "syncing the file")
        }
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }
}
