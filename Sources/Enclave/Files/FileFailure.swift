import ChatelaineModel
import Glibc

/// Words for what went wrong with a file of the custodian.
enum FileFailure {
    /// `errSecNotAvailable`: a file could not be read or written, and what to do (rulings, 15).
    static func error(_ action: String, _ path: String, code: Int32) -> KeychainError {
        KeychainError(.notAvailable, "\(action) \(path) failed: \(reason(code))")
    }

    private static func reason(_ code: Int32) -> String {
        switch code {
        case ENOSPC, EDQUOT: "the disk is full; free some space and try again"
        case EROFS: "the file system is read-only; mount it writable and try again"
        case EIO: "input/output error; look after the disk (the system log says more)"
        case EACCES, EPERM: "permission denied; give the file to the account that enclaved runs as"
        case ENOENT: "there is no such file or folder; create the folder above it"
        case ENOTDIR, ELOOP: "it is no plain file or folder, or a symbolic link; put a real one in its place"
        case EMFILE, ENFILE: "too many open files"
        default: "system error \(code)"
        }
    }
}
