import Glibc

/// The error number of a system call that failed.
///
/// What it means to a caller of the Keychain, `SystemFailure` of the model says.
public struct Errno: Error, Equatable, Sendable {
    public let code: Int32

    public init(_ code: Int32) { self.code = code }

    /// Of the call that failed just now on this thread.
    public static var last: Errno { Errno(errno) }

    /// A signal may interrupt a call this often before it counts as a failure.
    private static let maximumInterruptions = 1000

    /// Makes a call again that a signal interrupted.
    public static func uninterrupted<Answer: ~Copyable>(
        _ call: () throws(Errno) -> Answer
    ) throws(Errno) -> Answer {
        for _ in 1..<maximumInterruptions {
            do throws(Errno) { return try call() } catch .interrupted {}
        }
        return try call()
    }
}

extension Errno: CustomStringConvertible {
    /// The system's own words, as other programs have them.
    // SAFETY: strerror gives a C string that lives until this thread's next call; it is copied at once.
    public var description: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }
}

extension Errno {
    public static let notFound = Errno(ENOENT)
    public static let exists = Errno(EEXIST)
    public static let noProcess = Errno(ESRCH)
    public static let noAccess = Errno(EACCES)
    public static let notPermitted = Errno(EPERM)
    public static let notFolder = Errno(ENOTDIR)
    public static let nameTooLong = Errno(ENAMETOOLONG)
    public static let tookNothing = Errno(EIO)
    public static let disturbed = Errno(EAGAIN)
    public static let wouldBlock = Errno(EWOULDBLOCK)
    public static let interrupted = Errno(EINTR)
    public static let noSpace = Errno(ENOSPC)
    public static let overQuota = Errno(EDQUOT)
    public static let readOnly = Errno(EROFS)
    public static let tooBig = Errno(EFBIG)
    public static let stale = Errno(ESTALE)
    public static let remote = Errno(EREMOTE)
    public static let invalid = Errno(EINVAL)
    public static let late = Errno(ETIMEDOUT)
}
