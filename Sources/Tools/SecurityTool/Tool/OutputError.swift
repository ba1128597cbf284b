import Glibc

/// A failure to write to a descriptor.
struct OutputError: Error, CustomStringConvertible {
    let descriptor: Int32
    let code: Int32

    var description: String {
        let name = descriptor == STDOUT_FILENO ? "standard output" : "descriptor \(descriptor)"
        return "\(name) could not be written: \(String(cString: strerror(code)))"
    }
}
