import ChatelaineMemory
import ChatelaineModel
import Foundation
import Testing

@testable import SecurityTool

/// Tests of the forms of output: JSON, Base64, dates, columns and quantities.
struct FormatTests {
    /// The output of a writer, read back from a file.
    private func json(_ body: (inout JSONWriter) -> Void) throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        var writer = JSONWriter()
        body(&writer)
        try writer.flush(to: Output(descriptor: handle.fileDescriptor))
        try handle.close()
        return try String(contentsOf: file, encoding: .utf8)
    }

    @Test func everyScalarSurvivesJSON() throws {
        var text = "\"\\/ é 日 😀 \u{2028}\u{9B}2J\u{202E}"
        for value in UInt8(0)...0x7F { text.unicodeScalars.append(Unicode.Scalar(value)) }
        let written = try json { writer in
            writer.beginArray()
            writer.value(text)
            writer.value(Int64.min)
            writer.value(true)
            writer.endArray()
        }
        #expect(!written.unicodeScalars.contains(where: Printable.isHarmful), "a terminal obeys none of it")
        let parsed = try JSONSerialization.jsonObject(with: Data(written.utf8)) as? [Any]
        #expect(parsed?[0] as? String == text)
        #expect((parsed?[1] as? NSNumber)?.int64Value == Int64.min)
        #expect(parsed?[2] as? Bool == true)
    }

    @Test func base64IsFoundations() throws {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            let written = try json { writer in bytes.withUnsafeBytes { writer.base64($0) } }
            #expect(written == "\"\(Data(bytes).base64EncodedString())\"")
        }
    }

    @Test func datesThereAndBack() {
        #expect(DateText.text(0) == "2001-01-01T00:00:00Z")
        #expect(DateText.text(-978_307_200) == "1970-01-01T00:00:00Z")
        #expect(DateText.text(-978_307_200.5, milliseconds: true) == "1969-12-31T23:59:59.500Z")
        #expect(DateText.text(0.9996, milliseconds: true) == "2001-01-01T00:00:01.000Z")
        #expect(DateText.text(.nan) == nil && DateText.text(.infinity) == nil && DateText.text(1e300) == nil)
        #expect(DateText.text(9e11) == nil)
        #expect(DateText.seconds("2024-02-29") == 730_857_600)
        #expect(DateText.seconds("2024-02-29").flatMap { DateText.text($0) } == "2024-02-29T00:00:00Z")
        #expect(DateText.seconds("1969-12-31T23:59:59Z") == -978_307_201)
        for wrong in ["2023-02-29", "2023-13-01", "2023-1-1", "2023-01-01T25:00:00Z", "", "2023-01-01 00:00:00"] {
            #expect(DateText.seconds(wrong) == nil, "\(wrong)")
        }
    }

    /// Scripts read lines, and open paths as they are.
    @Test func aPathStaysOnItsLine() {
        #expect(Printable.line("/a\n\"/b\"\r\t\u{202E}", isForTerminal: false) == "/a\\n\"/b\"\\r\t\u{202E}")
        #expect(Printable.line("/a\n\t\u{202E}", isForTerminal: true) == "/a\\n\\t\\u{202e}")
        #expect(Printable.line("/Gr\u{FC}\u{DF}e", isForTerminal: false) == "/Gr\u{FC}\u{DF}e")
    }

    @Test func nothingReachesTheTerminalAsACommand() {
        #expect(Printable.text("a\u{1B}[2Jb\nc\u{9B}\u{202E}d") == "a\\u{1b}[2Jb\\nc\\u{9b}\\u{202e}d")
        #expect(Printable.text("Grüße 日本 😀") == "Grüße 日本 😀")
        let readable: [(String, Bool)] = [("abc\n", true), ("é", true), ("\u{1B}[", false), ("\u{202E}", false)]
        for (text, expected) in readable {
            #expect(Array(text.utf8).withUnsafeBytes { Printable.isReadable($0) } == expected)
        }
        #expect([0xC3].withUnsafeBytes { Printable.isReadable(UnsafeRawBufferPointer(rebasing: $0[..<1])) } == false)
    }

    @Test func columnsAlignWideText() {
        #expect(Columns.aligned([["a", "日本", "x"], ["bbb", "c", ""]]) == "a    日本  x\nbbb  c\n")
        #expect(Columns.aligned([]) == "")
    }

    @Test func longGroupsAreCutWhereTheyStayApart() {
        let long = "pinned:/home/anna/projects/keychain-tool/.build/release/tool"
        let short = Shortened([long, "group.a"])
        #expect(short.text("group.a") == "group.a")
        #expect(short.text(long) == "pinned:/h…uild/release/tool")
        let wide = "path:/usr/" + String(repeating: "日本", count: 20)
        #expect(Columns.width(of: Shortened([wide]).text(wide)) <= 29)
        // Two texts that differ only in the hidden part are shown whole.
        let other = long.replacing("keychain-tool", with: "another-tool")
        #expect(Shortened([long, other]).text(long) == long)
        #expect(Shortened([]).text(long) != long)
    }

    @Test func wordsAreWrapped() {
        #expect(Columns.wrapped("one two three", to: 7) == ["one two", "three"])
        #expect(Columns.wrapped("longer than that", to: 3) == ["longer", "than", "that"])
        #expect(Columns.wrapped("", to: 3) == [""])
    }

    @Test func quantities() {
        #expect(Quantity.count(1, "item") == "1 item" && Quantity.count(0, "item") == "0 items")
        #expect(Quantity.count(-1, "item") == "-1 items")
        #expect(Quantity.bytes(1023) == "1023 B")
        #expect(Quantity.bytes(1536) == "1.5 KiB")
        #expect(Quantity.bytes(.max) == "7.9 EiB")
        #expect(Quantity.duration(0) == "0 s" && Quantity.duration(3_723) == "1 h 2 min")
        #expect(Quantity.duration(86_400) == "1 d 0 h")
    }

    @Test func exitStatusIsTheLowByte() {
        #expect(ExitStatus.of(.itemNotFound) == 44 && ExitStatus.of(.duplicateItem) == 45)
        #expect(ExitStatus.of(.interactionNotAllowed) == 36 && ExitStatus.of(.authFailed) == 51)
        #expect(ExitStatus.of(.param) == 206 && ExitStatus.of(.missingEntitlement) == 30)
        #expect(ExitStatus.of(.notAvailable) == 53 && ExitStatus.of(.success) == 0)
        #expect(ExitStatus.of(Status(rawValue: -256)) == 1)
    }

    @Test func anExactVerbWins() {
        func verb(_ name: String) -> Verb { Verb(name: name, usage: "", summary: "", action: .help) }
        let verbs = [verb("find-all"), verb("find"), verb("status")]
        guard case .found(let exact) = VerbMatch("find", among: verbs) else { return #expect(Bool(false)) }
        #expect(exact.name == "find")
        guard case .found(let short) = VerbMatch("st", among: verbs) else { return #expect(Bool(false)) }
        #expect(short.name == "status")
        guard case .ambiguous(let names) = VerbMatch("fin", among: verbs) else { return #expect(Bool(false)) }
        #expect(names == ["find-all", "find"])
        guard case .unknown = VerbMatch("", among: verbs) else { return #expect(Bool(false)) }
    }
}
