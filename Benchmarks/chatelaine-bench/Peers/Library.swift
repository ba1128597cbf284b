import Glibc

/// A shared library that is loaded at run time.
struct Library {
    private let handle: UnsafeMutableRawPointer

    init(_ name: String) throws {
        guard let handle = dlopen(name, RTLD_NOW) else { throw BenchError("\(name) is not installed") }
        self.handle = handle
    }

    /// Finds a C function; the caller states its type.
    func function<Function>(_ name: String) throws -> Function {
        guard let symbol = dlsym(handle, name) else { throw BenchError("the library has no \(name)") }
        // SAFETY: the type is that of the function's declaration in the library's header.
        return unsafeBitCast(symbol, to: Function.self)
    }
}
