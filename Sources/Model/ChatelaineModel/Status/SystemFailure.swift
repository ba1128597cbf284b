import ChatelaineSystem
import Glibc

/// The meaning of a system call's error number; no other table has it.
package struct SystemFailure: Sendable {
    package let number: Int32
    package let cause: KeychainError.Cause

    package init(_ number: Int32) {
        self.number = number
        cause =
            switch number {
            case ENOSPC, EDQUOT, EFBIG: .full
            case EROFS: .readOnly
            case EIO: .disk
            case ENOMEM: .memory
            case ENOENT: .missing
            default: .unavailable
            }
    }

    /// The system's own words.
    package var words: String { Errno(number).description }

    /// What to do about the failure; nil if that depends on the operation.
    package func remedy(for path: String) -> String? {
        switch number {
        case EACCES, EPERM: "chmod u+rwX \(path), and see that this user may pass through the folders above it"
        case EROFS: "mount its file system writable"
        case ENOSPC, EDQUOT: "free some space"
        case EFBIG: "raise the limit of file sizes"
        case EIO: "check the disk; the system log says more"
        case ENOTDIR: "move away what stands where a folder should, and restart securityd"
        case ELOOP: "put the folder itself in the place of the link"
        case EMFILE, ENFILE: "raise the limit of open files"
        default: nil
        }
    }
}

extension KeychainError {
    /// The failure of a system call, without advice: “/home/anna/x: Permission denied”.
    package init(system number: Int32, _ thing: String, file: StaticString = #fileID, line: UInt = #line) {
        let failure = SystemFailure(number)
        self.init(cause: failure.cause, "\(thing): \(failure.words)", file: file, line: line)
    }

    /// The failure of a system call during an action, with advice.
    ///
    /// - Parameters:
    ///   - action: what was tried, such as “opening the file”.
    ///   - mayRead: whether the path is readable, so that a refusal concerns writing.
    package init(
        system number: Int32, _ action: String, _ path: String, mayRead: Bool = false, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        let failure = SystemFailure(number)
        let isForWriting = number == EACCES && mayRead
        let remedy = isForWriting ? "it may be read but not written to; chmod u+w \(path)" : failure.remedy(for: path)
        self.init(
            cause: isForWriting ? .readOnly : failure.cause,
            "\(action) failed for \(path): \(failure.words)" + (remedy.map { "; \($0)" } ?? ""), file: file, line: line)
    }
}
