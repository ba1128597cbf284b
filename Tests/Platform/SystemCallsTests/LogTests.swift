import CChatelaine
import Glibc
import TestSupport
import Testing

@testable import ChatelaineSystem
@testable import SystemCalls

/// The log file holds the lines where there is neither a journal nor a terminal.
struct LogTests {
    private let folder: TemporaryFolder
    private let log: Log
    private var path: String { folder("log") }

    init() throws {
        folder = try TemporaryFolder()
        log = Log(file: folder("log"))
    }

    private func text(_ name: String) -> String { String(decoding: TemporaryFolder.read(folder(name)), as: UTF8.self) }

    /// Writes lines with at least this many bytes together.
    private func fill(_ bytes: Int, _ word: String) {
        let piece = String(repeating: "x", count: 64 * 1024)
        for _ in 0..<(bytes / piece.utf8.count + 1) { log.notice("\(word) \(piece)") }
    }

    @Test func aFullFileBeginsAnewAndTheOneBeforeIsKept() {
        fill(Log.largestFile / 2, "first")
        #expect(TemporaryFolder.names(in: folder.path) == ["log"])
        fill(Log.largestFile / 2, "first")
        log.notice("second")
        #expect(TemporaryFolder.names(in: folder.path) == ["log", "log.1"])
        #expect(text("log").hasSuffix("<5> second\n"))
        #expect(text("log").split(separator: "\n").count < 5)
        #expect(text("log.1").contains("first"))
        fill(2 * Log.largestFile, "third")
        // Only one of the former files is kept.
        #expect(TemporaryFolder.names(in: folder.path) == ["log", "log.1"])
        #expect(text("log.1").contains("third") && !text("log.1").contains("first"))
    }

    /// A journal or terminal that nobody reads holds up no call, and later lines say what is missing.
    @Test(arguments: [false, true])
    func aReaderThatDoesNotReadHoldsNothingUp(_ isJournal: Bool) throws {
        var pair: [Int32] = [-1, -1]
        let log: Log
        if isJournal {
            pair[0] = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            try #require(chatelaine_unix_bind(pair[0], folder("journal")) == 0)
            log = Log(program: "test", path: folder("none"), mayWrite: { true }, journal: folder("journal"))
        } else {
            try #require(pipe(&pair) == 0)
            log = Log(program: "test", stream: pair[1])
        }
        defer { pair.filter { $0 >= 0 }.forEach { close($0) } }
        for _ in 0..<2_000 { log.notice("line \(String(repeating: "x", count: 100))") }
        var buffer = [UInt8](repeating: 0, count: 4096)
        #expect(read(pair[0], &buffer, buffer.count) > 0)
        // In a pipe the end of such a line is left out.
        log.notice(String(repeating: "y", count: 10_000))
        var rest = ""
        while !rest.contains(" lines before this one found no reader) yyy") {
            let count = read(pair[0], &buffer, buffer.count)
            try #require(count > 0)
            rest += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
        log.notice("and on")
        while !rest.contains("and on") {
            let count = read(pair[0], &buffer, buffer.count)
            try #require(count > 0)
            rest += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
        #expect(!rest.contains("no reader) and on"), "they are told once")
    }

    /// The name of a program or file cannot add a line to the log.
    @Test func aLineBreakIsNone() {
        log.warning("one\n2026-01-01T00:00:00Z securityd[1] <5> two", ["path": "/a\nb\u{7F}"])
        #expect(text("log").split(separator: "\n").count == 1 && text("log").hasSuffix(" path=/a b \n"))
    }

    /// A reader's terminal is not commanded, and no text is shown backwards.
    @Test(arguments: ["\u{85}", "\u{9B}", "\u{202E}", "\u{2028}", "\u{2029}", "\u{7F}", "\u{1B}"])
    func aCharacterThatMovesTextIsNone(_ character: String) {
        log.warning("name", ["path": "/a\(character)b"])
        #expect(text("log").hasSuffix(" path=/a b\n"))
    }

    /// A pipe or link in place of the file gets no line, and blocks nobody.
    @Test func onlyAFileIsWrittenTo() {
        #expect(mkfifo(path, 0o600) == 0)
        log.error("into a pipe")
        #expect(unlink(path) == 0 && symlink(folder("elsewhere"), path) == 0)
        log.error("through a link")
        #expect(TemporaryFolder.names(in: folder.path) == ["log"])
    }

    @Test func whereItMayNotBeWrittenToNothingIs() {
        Log(file: path, mayWrite: { false }).error("no")
        #expect(TemporaryFolder.names(in: folder.path).isEmpty)
    }
}
