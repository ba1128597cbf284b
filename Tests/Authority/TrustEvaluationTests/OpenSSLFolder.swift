import Foundation
import TestSupport

/// Certificates as files, for the `openssl` command: a second opinion, and a maker of lists and answers.
struct OpenSSLFolder {
    private let folder: TemporaryFolder
    var path: String { folder.path }

    init() throws { folder = try TemporaryFolder() }

    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
    }

    func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }

    @discardableResult
    func run(_ words: String...) throws -> CommandRun { try run(words) }

    func run(_ words: [String]) throws -> CommandRun {
        try CommandRun(["openssl"] + words.map { $0.replacingOccurrences(of: "@", with: path + "/") })
    }
}
