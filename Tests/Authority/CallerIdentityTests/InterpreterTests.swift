import ChatelaineModel
import ChatelaineSystem
import Foundation
import TestSupport
import Testing

@testable import CallerIdentity

/// The list names programs that run whatever code they are given, by name or path
/// (Documentation/formats/interpreters.md).
struct InterpreterListTests {
    private func read(_ text: String) -> InterpreterList? { InterpreterList(Array(text.utf8)) }

    private func contains(_ text: String, _ path: String) throws -> Bool {
        try #require(read(text)).contains(try #require(CanonicalPath(path)))
    }

    @Test(arguments: [
        ("runner", "/opt/bin/runner"), ("runner", "/home/anna/runner-2.1"), ("runner", "/a/.runner3-wrapped"),
        ("# mine\n\n  runner\t\r\n", "/runner"), ("/opt/tool/run", "/opt/tool/run"),
        ("nonsense/of a line\nrunner", "/opt/bin/runner"), ("J\u{FC}rgens", "/opt/bin/J\u{FC}rgens"),
    ])
    func whatIsNamed(text: String, path: String) throws { #expect(try contains(text, path)) }

    @Test(arguments: [
        ("runner", "/opt/bin/runners"), ("runner", "/usr/runner/bin"), ("#runner", "/opt/bin/runner"),
        ("/opt/tool/run", "/opt/tool/run2"), ("/opt/tool/run", "/opt/tool"), ("/opt/tool", "/opt/tool/run"),
        ("/opt/../opt/run", "/opt/run"), ("Runner", "/opt/bin/runner"), ("", "/opt/bin/runner"),
    ])
    func whatIsNot(text: String, path: String) throws { #expect(try !contains(text, path)) }

    @Test(arguments: [
        "a/b", "/", "/a/", "//a", "..", ".", "a\u{1B}[2J", "a\u{202E}b", "/a\u{0}b", String(repeating: "a", count: 256),
        "/" + String(repeating: "a/", count: 2048) + "a",
    ])
    func whatIsNoLine(line: String) throws {
        let list = try #require(read("runner\n\(line)\nother"))
        #expect(list.badLine == 2 && list.stems == ["runner", "other"] && list.paths.isEmpty)
    }

    @Test func bytesThatAreNoTextAreNoLine() throws {
        let list = try #require(InterpreterList([0x61, 0x0A, 0xFF, 0xFE, 0x0A, 0x62]))
        #expect(list.badLine == 2 && list.stems == ["a", "b"])
    }

    @Test func linesHaveALimit() throws {
        #expect(read(String(repeating: "a\n", count: InterpreterList.mostLines - 1))?.stems == ["a"])
        #expect(read(String(repeating: "\n", count: InterpreterList.mostLines)) == nil)
    }

    /// The installed file must name the built-in programs.
    @Test func theInstalledFileIsTheBuiltInList() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Tools/data/interpreters")
        let list = try #require(InterpreterList(Array(try Data(contentsOf: file))))
        #expect(list.stems == SharedPrograms.builtIn && list.badLine == nil && list.paths.isEmpty)
    }
}

/// An administrator's file adds interpreters.
@Suite(.enabled(if: Bench.isRoot, Bench.needsRoot))
struct AddedInterpreterTests {
    private let folder: TemporaryFolder
    private let bench: Bench
    private let program: String

    init() throws {
        folder = try TemporaryFolder(isRootOnly: true)
        bench = try Bench(addedInterpreters: folder("interpreters"))
        program = try folder.program("runner-2")
    }

    private func write(_ text: String, mode: mode_t = 0o644) throws {
        let draft = folder("draft")
        try text.write(toFile: draft, atomically: false, encoding: .utf8)
        try #require(chmod(draft, mode) == 0 && rename(draft, folder("interpreters")) == 0)
    }

    private func assurance() throws -> Assurance { try bench.identify([program]).assurance }
    private var report: AddedInterpreters.Report? { bench.resolver.addedInterpreters.report }

    @Test func namesAndPathsCountFromTheNextConnectionOn() throws {
        let before = try Child([program])
        try #require(before.answers())
        let connected = try bench.identify(before)
        #expect(connected.assurance == .file && report == nil)
        try write("runner\n")
        #expect(try assurance() == .shared)
        #expect(try bench.identify([program]).displayName.contains("any script of this user"))
        #expect(report == AddedInterpreters.Report(count: 1, defect: nil))
        try write("\(program)\nother\n")
        #expect(try assurance() == .shared)
        #expect(report?.count == 2)
        try write("another\n")
        #expect(try assurance() == .file)
        try #require(unlink(folder("interpreters")) == 0)
        #expect(try assurance() == .file && report == nil)
        // An existing connection keeps its identity.
        #expect(
            try bench.resolver.refreshed(connected, ExecutableSnapshot(of: before.handle(bench.resolver.system)))
                == connected)
    }

    @Test func aFileThatIsWrittenOverIsReadAnew() throws {
        try write("another\n")
        #expect(try assurance() == .file)
        try "runner and more\nrunner\n".write(toFile: folder("interpreters"), atomically: false, encoding: .utf8)
        #expect(try assurance() == .shared)
    }

    /// A user who may write the file could change the identity of programs.
    @Test func aFileThatOthersMayWriteIsNotUsed() throws {
        let file = folder("interpreters")
        try write("runner\n")
        for spoil in [
            { chmod(file, 0o646) }, { chown(file, Bench.user, 0) }, { chown(file, 0, Bench.user) + chmod(file, 0o664) },
            { chmod(folder.path, 0o777) }, { chown(folder.path, Bench.user, 0) },
        ] {
            #expect(try assurance() == .shared)
            try #require(spoil() == 0)
            #expect(try bench.identify(["/usr/bin/cat"]).assurance == .file)
            #expect(report?.count == 0 && report?.defect?.contains("not used") == true, "\(String(describing: report))")
            #expect(!bench.resolver.isShared(try #require(CanonicalPath(program))))
            try #require(chown(file, 0, 0) == 0 && chmod(file, 0o644) == 0)
            try #require(chown(folder.path, 0, 0) == 0 && chmod(folder.path, 0o755) == 0)
        }
    }

    @Test func whatIsNoSmallFileIsNotUsed() throws {
        func isRefused(_ words: String) throws {
            #expect(try assurance() == .file)
            #expect(report?.count == 0 && report?.defect?.contains(words) == true, "\(String(describing: report))")
            try #require(remove(folder("interpreters")) == 0)
        }
        try #require(symlink("runners", folder("interpreters")) == 0)
        try "runner\n".write(toFile: folder("runners"), atomically: false, encoding: .utf8)
        try isRefused("symbolic link")
        try #require(mkdir(folder("interpreters"), 0o755) == 0)
        try isRefused("no regular file")
        try #require(mkfifo(folder("interpreters"), 0o644) == 0)
        try isRefused("no regular file")
        try write("runner\n" + String(repeating: "#", count: InterpreterList.longestFile))
        try isRefused("KiB")
        try write("runner\n" + String(repeating: "\n", count: InterpreterList.mostLines))
        try isRefused("lines")
        try write("a/b\nrunner\n")
        #expect(try assurance() == .shared)
        #expect(report?.count == 1 && report?.defect?.hasPrefix("line 1 of") == true)
    }

    /// The built-in names count whatever the file says.
    @Test func nothingTakesFromTheBuiltInList() throws {
        let shell = try folder.program("bash5.2")
        for text in [nil, "", "# bash\n", "a/b\n"] {
            if let text { try write(text) }
            #expect(try bench.identify([shell]).assurance == .shared)
        }
        let file = folder("interpreters")
        let broken = try Bench(
            system: FakeSystem { call, path in
                call == .open && (path == "interpreters" || path.hasSuffix(file)) ? Errno(EIO) : nil
            }.calls, addedInterpreters: file)
        #expect(try broken.identify([shell]).assurance == .shared)
        #expect(broken.resolver.addedInterpreters.report?.defect?.contains("not used") == true)
    }
}
