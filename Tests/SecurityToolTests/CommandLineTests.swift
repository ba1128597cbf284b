import Foundation
import Testing

/// Command lines in a shell against the real daemons, each file with folders of its own (`Tests/CommandLine`).
struct CommandLineTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("CommandLine")

    static var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".txt") }
            .sorted()
    }

    @Test(arguments: CommandLineTests.names)
    func answersAreAsWritten(name: String) throws {
        let transcript = Transcript(try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8))
        #expect(!transcript.steps.isEmpty)
        let home = try TemporaryHome()
        for step in transcript.steps {
            let answer = try run(step.command, home: home.path)
            #expect(answer.matches(step.expected), "\(step.command):\n\(answer.lines.joined(separator: "\n"))")
        }
    }

    private func run(_ command: String, home: String) throws -> Transcript.Answer {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        process.environment = [
            "CHATELAINE_HOME": home, "PATH": BuiltProgram.folder + ":" + path, "HOME": home, "LC_ALL": "C.UTF-8",
        ]
        let output = URL(fileURLWithPath: home + "/stdout")
        let errors = URL(fileURLWithPath: home + "/stderr")
        for file in [output, errors] {
            #expect(
                FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
            )
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        return Transcript.Answer(
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self),
            exitStatus: process.terminationStatus)
    }
}
