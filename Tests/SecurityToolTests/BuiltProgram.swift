import Foundation

/// Programs of this package as they were built with the tests.
enum BuiltProgram {
    /// The folder of the test bundle and of the executables.
    static let folder: String = {
        let path = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: path).deletingLastPathComponent().path
    }()

    static let security = folder + "/security"
}
