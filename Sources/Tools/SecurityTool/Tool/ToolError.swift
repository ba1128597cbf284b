import ChatelaineSystem
import Glibc

/// A failure on this side of the Keychain; the text follows `security: `.
enum ToolError: Error, Equatable {
    /// The command line is wrong; the usage line follows the text.
    case usage(String)
    case failure(String, exitStatus: Int32 = ExitStatus.failure)
}

/// A failure to write to a descriptor.
struct OutputError: Error, CustomStringConvertible {
    let descriptor: Int32
    /// The path of the file that the person named; nil for a descriptor that was there.
    var path: String?
    let code: Int32

    var description: String {
        let name = path ?? (descriptor == STDOUT_FILENO ? "standard output" : "descriptor \(descriptor)")
        return "\(name) could not be written: \(Errno(code))"
    }
}
