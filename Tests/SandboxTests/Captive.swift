import CChatelaine
import Foundation
import Testing

/// The fixture `captive` and a place for it: a folder that its sandbox leaves open, and a file beside it.
///
/// As root it runs as another user, since root is refused little anyway.
final class Captive: Sendable {
    enum Outcome: Equatable {
        case done
        case error(Int32)
        case killed
        /// Another program ran in its place, which says nothing.
        case silent
        case other(String)
    }

    /// A user id that nobody has.
    private static let user: uid_t = 24_300

    private let home: String
    var folder: String { home + "/folder" }
    var outside: String { home + "/outside" }

    init() throws {
        var template = Array("/tmp/chatelaine-captive-XXXXXX".utf8CString)
        home = try #require(mkdtemp(&template).map { String(cString: $0) })
        // By a process of its own: a child that another test starts meanwhile would hold our copy open for writing.
        try #require(try Self.run(["/bin/cp", Self.built, home + "/captive"]).status == 0)
        try give(home)
    }

    /// Puts everything where it was before the last attempt.
    private func tidy() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: home) where name != "captive" {
            try FileManager.default.removeItem(atPath: "\(home)/\(name)")
        }
        try #require(mkdir(folder, 0o700) == 0)
        try give(folder)
        for path in [folder + "/inside", outside] {
            try #require(FileManager.default.createFile(atPath: path, contents: Data("content".utf8)))
            try give(path)
        }
    }

    private func give(_ path: String) throws {
        if geteuid() == 0 { try #require(lchown(path, Self.user, Self.user) == 0) }
    }

    deinit { try? FileManager.default.removeItem(atPath: home) }

    private static var built: String {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("captive").path
    }

    func make(_ attempt: String, as profile: String) throws -> Outcome {
        let (output, status, isSignalled) = try run(profile, attempt, outside)
        if isSignalled { return status == SIGSYS ? .killed : .other("signal \(status)") }
        switch (output, Int32(output)) {
        case ("done", _): return .done
        case (_, let error?): return .error(error)
        case ("", _) where status == 0: return .silent
        default: return .other(output)
        }
    }

    /// What the process says of its sandbox after an attempt, line by line.
    func states(as profile: String, after attempt: String = "") throws -> [String] {
        try run(profile, "states", attempt).output.split(separator: "\n").map { String($0) }
    }

    private func run(
        _ profile: String, _ attempt: String, _ last: String
    ) throws -> (output: String, status: Int32, isSignalled: Bool) {
        try tidy()
        let words = [home + "/captive", profile, folder, attempt, last]
        guard geteuid() == 0 else { return try Self.run(words) }
        let become = ["--reuid", "\(Self.user)", "--regid", "\(Self.user)", "--clear-groups", "--inh-caps=-all", "--"]
        return try Self.run(["/usr/bin/setpriv"] + become + words)
    }

    private static func run(_ words: [String]) throws -> (output: String, status: Int32, isSignalled: Bool) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
        return (text, process.terminationStatus, process.terminationReason == .uncaughtSignal)
    }
}
