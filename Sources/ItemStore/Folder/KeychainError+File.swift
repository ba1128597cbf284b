import ChatelaineModel
import Glibc

extension KeychainError {
    /// A system call on a file of the store that failed just now; reads `errno`.
    init(file path: String, _ action: String, line: UInt = #line) {
        let number = errno
        self.init(system: number, action, path, mayRead: access(path, R_OK) == 0, line: line)
    }
}
