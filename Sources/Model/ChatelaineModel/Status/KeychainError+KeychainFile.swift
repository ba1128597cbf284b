import Glibc

extension KeychainError {
    /// The failure of a system call on the file of a keychain that a person or a program named.
    ///
    /// Apple has statuses of its own for most of these errors. EREMOTE is our own code's for a file system that a
    /// program serves, and EILSEQ for a path that is no plain text.
    package init(keychainFile number: Int32, _ path: String, file: StaticString = #fileID, line: UInt = #line) {
        switch number {
        case ENOENT, ENOTDIR:
            self.init(
                cause: .missing, status: .noSuchKeychain, "\(path) is not there, and so no keychain", file: file,
                line: line)
        case ELOOP, ENXIO, EISDIR:
            self.init(
                .invalidKeychain, "\(path) is no plain file; a keychain is one, and links to one are not followed",
                file: file, line: line)
        case EEXIST:
            self.init(
                cause: .request, status: .duplicateKeychain, "\(path) is there already; delete it, or use it",
                file: file, line: line)
        case EREMOTE:
            self.init(
                .invalidKeychain, "\(path) is on a file system that a program serves (FUSE); keep keychains on a disk",
                file: file, line: line)
        case EILSEQ:
            self.init(
                .param, "the path of a keychain has control characters or no UTF-8, also where links lead: rename it",
                file: file, line: line)
        default: self.init(system: number, path, file: file, line: line)
        }
    }
}
