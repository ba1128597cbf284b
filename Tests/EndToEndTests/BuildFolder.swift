import Foundation

/// Where the programs under test were built: the folder of the running test bundle.
enum BuildFolder {
    static let path: String = {
        for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
            return URL(fileURLWithPath: argument).deletingLastPathComponent().path
        }
        return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    }()
}
