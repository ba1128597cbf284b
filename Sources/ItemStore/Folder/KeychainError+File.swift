import ChatelaineModel
import Glibc

extension KeychainError {
    /// What a failed system call on a file of the store means to a caller; reads `errno`.
    init(file path: String, _ action: String, line: UInt = #line) {
        let code = errno
        let (status, advice): (Status, String) =
            switch code {
            case EROFS: (.readOnly, "the file system is read-only")
            case ENOSPC, EDQUOT: (.notAvailable, "the disk is full; free some space")
            case EACCES where access(path, R_OK) == 0:
                (.readOnly, "it may be read but not written to; give that back with “chmod u+w”")
            case EACCES, EPERM: (.notAvailable, "permission denied; check owner and permissions")
            case EIO: (.ioError, "the disk reports an error")
            case ENOENT: (.notAvailable, "it is not there")
            case ELOOP, ENOTDIR: (.notAvailable, "a link or something else stands where a file or folder should")
            default: (.notAvailable, "errno \(code)")
            }
        self.init(status, "\(action) failed for \(path): \(advice)", line: line)
    }
}
