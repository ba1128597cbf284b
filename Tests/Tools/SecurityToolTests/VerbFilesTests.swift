import Foundation
import Glibc
import TestSupport
import Testing

@testable import SecurityTool

/// Tests of files that verbs read and write, whatever exists at their paths.
struct VerbFilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }

    private func text(_ name: String) -> String { String(decoding: TemporaryFolder.read(path(name)), as: UTF8.self) }

    private func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }

    // MARK: Reading

    @Test func aFileIsReadUpToItsLimit() throws {
        try write("12345", to: "a")
        #expect(try InputFile.bytes(path("a"), limit: 5) == Array("12345".utf8))
        #expect(throws: ToolError.self) { try InputFile.bytes(path("a"), limit: 4) }
        #expect(throws: ToolError.self) { try InputFile.bytes(path("b"), limit: 4) }
        #expect(throws: ToolError.self) { try InputFile.bytes("", limit: 4) }
        #expect(throws: ToolError.self) { try InputFile.bytes(folder.path, limit: 4) }
    }

    /// The size in the file's status is ignored: that of a link is its own, and a device has none.
    @Test func whatGoesOnForEverIsRefused() throws {
        symlink("/dev/zero", path("zero"))
        #expect(throws: ToolError.self) { try InputFile.bytes(path("zero"), limit: 200_000) }
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        #expect(try InputFile.bytes(path("pipe"), limit: 4).isEmpty, "nobody writes to it")
    }

    /// Whoever makes a pipe where a person expects a file would keep the command waiting.
    @Test(arguments: ["import", "cms"]) func aPipeWithoutAWriterKeepsNoVerbWaiting(_ verb: String) throws {
        let name = path("pipe")
        try #require(mkfifo(name, 0o600) == 0)
        let run = Background { ToolRun(verb == "cms" ? ["cms", "-D", "-i", name] : ["import", name]).exitStatus }
        let status = try #require(run.wait(milliseconds: 60_000))
        #expect(status != ExitStatus.success)
    }

    /// A shell gives a command's output as a pipe: `<(command)`.
    @Test func aPipeIsReadToItsEnd() async throws {
        let pipe = Pipe()
        let long = [UInt8](repeating: 7, count: 200_000)
        let name = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        let reading = Background { try? InputFile.bytes(name, limit: 300_000) }
        try pipe.fileHandleForWriting.write(contentsOf: Data(long))
        try pipe.fileHandleForWriting.close()
        #expect(reading.wait(milliseconds: -1) == .some(long))
    }

    /// Whoever has a file verified or denied means all of it.
    @Test func aCertificateThatIsCutOffIsNotPassedOver() throws {
        let whole = "-----BEGIN CERTIFICATE-----\nMAEH\n-----END CERTIFICATE-----\n"
        let der: [UInt8] = [0x30, 1, 7]
        try write("0: Certificate\n" + whole + "-----BEGIN EC PRIVATE KEY-----\nMAEH\n" + whole, to: "good")
        #expect(try PEMFile.certificates(path("good")) == [der, der])
        try write(whole.replacingOccurrences(of: "CERTIFICATE", with: "X509 CERTIFICATE"), to: "older")
        #expect(try PEMFile.certificates(path("older")) == [der])
        for (number, damaged) in [
            "-----BEGIN CERTIFICATE-----\nMAEH\n" + whole, whole + "-----BEGIN CERTIFICATE-----\nMAEH\n",
            whole + whole.replacingOccurrences(of: "MAEH", with: "MAEHx"),
            whole + whole.replacingOccurrences(of: "CERTIFICATE", with: "TRUSTED CERTIFICATE"), "nothing",
            // Beginnings of which a dash is missing.
            whole + whole.dropFirst(), whole + whole.replacingOccurrences(of: "E-----\nM", with: "E----\nM"),
        ].enumerated() {
            try write(damaged, to: "damaged")
            #expect(throws: ToolError.self, "\(number)") { try PEMFile.certificates(path("damaged")) }
        }
    }

    // MARK: Writing

    @Test func aFileTakesThePlaceOfAnother() throws {
        try write("former", to: "out")
        #expect(link(path("out"), path("other")) == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path("out"))
        try OutputFile.write(Array("new".utf8), to: path("out"), mode: OutputFile.secretMode)
        #expect(text("out") == "new" && text("other") == "former")
        #expect(try mode("out") == 0o600)
        try OutputFile.write([], to: path("made"), mode: OutputFile.publicMode)
        #expect(try mode("made") == 0o644)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["made", "other", "out"])
    }

    /// If writing ends early, for example on a full disk, the former file stays.
    @Test func halfAFileIsNone() throws {
        try write("former", to: "out")
        func begin() throws {
            let file = try OutputFile.open(path("out"), mode: OutputFile.secretMode)
            try file.output.write("half")
            #expect(text("out") == "former")
            withExtendedLifetime(file) {}
        }
        try begin()
        #expect(text("out") == "former")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out"])
        try write("left by a crash", to: ".chatelaine-draft-1")
        try OutputFile.write(Array("new".utf8), to: path("out"), mode: OutputFile.secretMode)
        #expect(text("out") == "new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out"])
    }

    /// Each run has a draft of its own, and the last one to finish counts.
    @Test func runsBesideEachOtherKeepApart() throws {
        let first = try OutputFile.open(path("out"), mode: OutputFile.secretMode)
        try first.output.write("first")
        let second = try OutputFile.open(path("out"), mode: OutputFile.secretMode)
        try second.output.write("second, and longer")
        try first.finish()
        #expect(text("out") == "first")
        do {
            let third = try OutputFile.open(path("out"), mode: OutputFile.secretMode)
            try third.output.write("unfinished")
            withExtendedLifetime(third) {}
        }
        try second.finish()
        #expect(text("out") == "second, and longer")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out"])
    }

    /// What others have put under the names of drafts is neither followed, nor written, nor removed.
    @Test func othersFilesAreNoDrafts() throws {
        try write("theirs", to: "target")
        symlink(path("target"), path(".chatelaine-draft-1"))
        // Another name of a file of this user's.
        try write("readable", to: "other")
        #expect(link(path("other"), path(".chatelaine-draft-2")) == 0)
        mkfifo(path(".chatelaine-draft-3"), 0o600)
        mkdir(path(".chatelaine-draft-4"), 0o700)
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).count
        let longest = String(repeating: "n", count: Int(NAME_MAX))
        try OutputFile.write(Array("new".utf8), to: path(longest), mode: OutputFile.secretMode)
        #expect(text(longest) == "new" && text("target") == "theirs" && text(".chatelaine-draft-2") == "readable")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == before + 1)
        for number in 5...OutputFile.mostDrafts { #expect(mkdir(path(".chatelaine-draft-\(number)"), 0o700) == 0) }
        let error = #expect(throws: ToolError.self) {
            try OutputFile.write([1], to: path("out"), mode: OutputFile.secretMode)
        }
        #expect(error.map { "\($0)".contains(".chatelaine-draft-1") } == true)
    }

    /// A person knows the file by the name that they typed.
    @Test func aFullDiskIsToldByTheNameOfTheFile() throws {
        let error = #expect(throws: OutputError.self) {
            try OutputFile.write([1], to: "/dev/full", mode: OutputFile.secretMode)
        }
        #expect(error?.description == "/dev/full could not be written: No space left on device")
    }

    @Test func noLinkIsFollowedToAFile() throws {
        try write("former", to: "target")
        symlink(path("target"), path("link"))
        symlink(path("nothing"), path("dangling"))
        for name in ["link", "dangling", "none/out", ""] {
            #expect(throws: ToolError.self) {
                try OutputFile.write([1], to: name.isEmpty ? "" : path(name), mode: OutputFile.secretMode)
            }
        }
        #expect(text("target") == "former")
        try OutputFile.write([1], to: "/dev/null", mode: OutputFile.secretMode)
        #expect(throws: ToolError.self) { try OutputFile.write([1], to: folder.path, mode: OutputFile.secretMode) }
    }
    /// `security export -o /dev/stdout > file`: the shell has opened the file, perhaps to append to it.
    @Test func aFileThatIsTheOutputIsContinued() throws {
        try write("before ", to: "out")
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path("out")))
        try handle.seekToEnd()
        let name = "/dev/fd/\(handle.fileDescriptor)"
        #expect(throws: ToolError.self) { _ = try OutputFile.open(name, mode: OutputFile.secretMode) }
        let file = try OutputFile.open(name, mode: OutputFile.secretMode, own: [handle.fileDescriptor])
        let written = Array("after".utf8).withUnsafeBytes { bytes in
            Result { () throws(OutputError) in try file.output.write(bytes) }
        }
        try written.get()
        try file.finish()
        #expect(text("out") == "before after")
        #expect(try mode("out") != Int(OutputFile.secretMode), "the person chose its permissions")

        let read = try FileHandle(forReadingFrom: URL(fileURLWithPath: path("out")))
        let other = "/dev/fd/\(read.fileDescriptor)"
        #expect(throws: ToolError.self, "it is open for reading only") {
            _ = try OutputFile.open(other, mode: OutputFile.secretMode, own: [read.fileDescriptor])
        }
    }
}
