import Glibc

/// The error number of a system call that failed.
struct Errno: Error, Equatable {
    let code: Int32

    init(_ code: Int32) { self.code = code }

    /// Of the call that failed just now on this thread.
    static var last: Errno { Errno(errno) }
}

extension Errno: CustomStringConvertible {
    // SAFETY: strerror gives a C string that lives until this thread's next call; it is copied at once.
    var description: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }
}

extension Errno {
    static let notFound = Errno(ENOENT)
    static let noProcess = Errno(ESRCH)
    static let noAccess = Errno(EACCES)
    static let notPermitted = Errno(EPERM)
    static let notFolder = Errno(ENOTDIR)
    static let nameTooLong = Errno(ENAMETOOLONG)
    static let tookNothing = Errno(EIO)
    static let disturbed = Errno(EAGAIN)
    static let noSpace = Errno(ENOSPC)
    static let overQuota = Errno(EDQUOT)
    static let readOnly = Errno(EROFS)
    static let tooBig = Errno(EFBIG)
    static let stale = Errno(ESTALE)
    static let remote = Errno(EREMOTE)
    static let invalid = Errno(EINVAL)
    static let late = Errno(ETIMEDOUT)
}
