import ChatelaineModel
import ChatelaineSystem
import Glibc

extension KeychainError {
    /// The error of a system call on a file of the store that failed just now; reads `errno`.
    init(file path: String, _ action: String, line: UInt = #line) {
        let number = errno
        self.init(system: number, action, path, mayRead: access(path, R_OK) == 0, line: line)
    }

    /// The error of a failed step of an operation on a file of the store.
    init(_ failure: FileFailure, line: UInt = #line) {
        self.init(
            system: failure.error.code, failure.action, failure.path, mayRead: access(failure.path, R_OK) == 0,
            line: line)
    }
}
