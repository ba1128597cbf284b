import Glibc

/// The folder with the programs of this package that were built with the tests.
package enum BuildFolder {
    /// The folder of the test bundle and of the executables.
    package static let path: String = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        // SAFETY: the answer is a C string of our own, freed once it is copied.
        let absolute = realpath(bundle, nil).map { resolved in
            defer { free(resolved) }
            return String(cString: resolved)
        }
        return (absolute ?? bundle).split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    }()

    package static func program(_ name: String) -> String { "\(path)/\(name)" }

    /// The `PATH` of the test run, for programs of the machine (Tools/closed-path.sh).
    package static let searchPath = getenv("PATH").map { String(cString: $0) } ?? ""
}
