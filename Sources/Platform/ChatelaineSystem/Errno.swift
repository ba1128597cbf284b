import Glibc

/// The error number of a system call that failed.
///
/// `SystemFailure` in the model maps it to a status of the Keychain.
package struct Errno: Error, Equatable, Sendable {
    package let code: Int32

    package init(_ code: Int32) { self.code = code }

    /// The error number of the last failed call on this thread.
    package static var last: Errno { Errno(errno) }

    /// How often a signal may interrupt a call before that counts as a failure.
    private static let maximumInterruptions = 1000

    /// Repeats a call while signals interrupt it.
    package static func uninterrupted<Answer: ~Copyable>(
        _ call: () throws(Errno) -> Answer
    ) throws(Errno) -> Answer {
        for _ in 1..<maximumInterruptions {
            do throws(Errno) { return try call() } catch .interrupted {}
        }
        return try call()
    }
}

extension Errno: CustomStringConvertible {
    /// The system's own text for the error.
    // SAFETY: strerror gives a C string that lives until this thread's next call; it is copied at once.
    package var description: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }
}

extension Errno {
    package static let notFound = Errno(ENOENT)
    package static let exists = Errno(EEXIST)
    package static let noProcess = Errno(ESRCH)
    package static let noAccess = Errno(EACCES)
    package static let notPermitted = Errno(EPERM)
    package static let notFolder = Errno(ENOTDIR)
    package static let nameTooLong = Errno(ENAMETOOLONG)
    package static let tookNothing = Errno(EIO)
    package static let disturbed = Errno(EAGAIN)
    package static let wouldBlock = Errno(EWOULDBLOCK)
    package static let interrupted = Errno(EINTR)
    package static let noSpace = Errno(ENOSPC)
    package static let overQuota = Errno(EDQUOT)
    package static let readOnly = Errno(EROFS)
    package static let tooBig = Errno(EFBIG)
    package static let stale = Errno(ESTALE)
    package static let remote = Errno(EREMOTE)
    package static let invalid = Errno(EINVAL)
    package static let late = Errno(ETIMEDOUT)
}
