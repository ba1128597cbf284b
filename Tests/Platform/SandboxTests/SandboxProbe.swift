import CChatelaine
import Foundation
import TestSupport
import Testing

/// The fixture `sandbox-probe`, with a folder that its sandbox leaves open and a file outside it.
///
/// As root, the fixture runs as another user, since root is refused little anyway.
final class SandboxProbe: Sendable {
    enum Outcome: Equatable {
        case done
        case error(Int32)
        case killed
        /// Another program ran in its place, which reports nothing.
        case silent
        case other(String)
    }

    /// A user id that nobody has.
    private static let user: uid_t = 24_300

    private let place: TemporaryFolder
    private var home: String { place.path }
    var folder: String { home + "/folder" }
    var outside: String { home + "/outside" }

    init() throws {
        place = try TemporaryFolder()
        // A separate process copies the file.
        //
        // Otherwise a child of another test could inherit our descriptor and keep the copy open for writing.
        let copy = try CommandRun(["/bin/cp", BuildFolder.program("sandbox-probe"), home + "/sandbox-probe"])
        try #require(copy.end == .exited(0))
        try give(home)
    }

    /// Restores the folder and the file as they were before the last attempt.
    private func tidy() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: home) where name != "sandbox-probe" {
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

    func make(_ attempt: String, as profile: String) throws -> Outcome {
        let run = try run(profile, attempt, outside)
        let output = run.output.trimmingCharacters(in: .newlines)
        switch (run.end, output, Int32(output)) {
        case (.signalled(SIGSYS), _, _): return .killed
        case (.signalled(let signal), _, _): return .other("signal \(signal)")
        case (_, "done", _): return .done
        case (_, _, let error?): return .error(error)
        case (.exited(0), "", _): return .silent
        default: return .other(output)
        }
    }

    /// The lines in which the process reports its sandbox after an attempt.
    func states(as profile: String, after attempt: String = "") throws -> [String] {
        try run(profile, "states", attempt).lines
    }

    private func run(_ profile: String, _ attempt: String, _ last: String) throws -> CommandRun {
        try tidy()
        var words = [home + "/sandbox-probe", profile, folder, attempt, last]
        if geteuid() == 0 {
            let become = [
                "--reuid", "\(Self.user)", "--regid", "\(Self.user)", "--clear-groups", "--inh-caps=-all", "--",
            ]
            words = ["/usr/bin/setpriv"] + become + words
        }
        return try CommandRun(words)
    }
}
