import Glibc

/// The error of a system call that the test itself makes.
package struct SystemError: Error, CustomStringConvertible {
    package let code: Int32
    private let action: String

    package init(_ action: String, code: Int32 = errno) {
        self.action = action
        self.code = code
    }

    package var description: String { "\(action): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")" }
}
