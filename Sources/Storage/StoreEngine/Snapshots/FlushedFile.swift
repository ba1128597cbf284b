import ChatelaineModel
import Glibc

/// A file that another descriptor writes, and that reaches the disk in small parts.
struct FlushedFile: ~Copyable {
    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws(KeychainError) {
        self.path = path
        descriptor = StoreFolder.openFile(path, O_RDONLY)
        guard descriptor >= 0 else { throw KeychainError(file: path, "opening the file") }
    }

    deinit { close(descriptor) }

    /// Syncs the bytes written so far, and releases their page cache for better uses.
    func flush() throws(KeychainError) {
        guard StoreFolder.repeated({ fdatasync(descriptor) }) == 0 else {
            throw KeychainError(file: path, "syncing the file")
        }
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }
}
