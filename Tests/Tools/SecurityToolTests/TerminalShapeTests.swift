import Foundation
import TestSupport
import Testing

@testable import SecurityTool

/// Tests of terminals that are unusually narrow or wide.
struct TerminalShapeTests {
    /// Every help text appears at every width, and without a known width (0).
    @Test(arguments: [0, 1, 2, 10, 26, 27, 49, 50, 200, 65_535] as [UInt16])
    func helpIsShownAtAnyWidth(columns: UInt16) throws {
        let terminal = try #require(PseudoTerminal())
        terminal.setSize(columns: columns)
        let descriptor = open(terminal.name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(descriptor) }
        let help = HelpText(output: Output(descriptor: descriptor))
        #expect(help.list.contains("OVERVIEW: "))
        for verb in Verb.all + Verb.all.flatMap(\.verbs) {
            let text = help.text(of: verb, path: "security \(verb.name)")
            #expect(verb.isApples ? text.hasPrefix("Usage: \(verb.name) ") : text.hasPrefix("OVERVIEW: "))
            #expect(verb.isApples || text.contains("USAGE: "))
        }
    }

    /// The program runs at a terminal of one column, where no library may crash it.
    @Test(arguments: [
        ["item", "find", "--help"], ["item", "find", "--nonsense"], ["app", "accept"], ["help", "item", "add"],
    ])
    func aNarrowTerminalEndsNoProgram(words: [String]) throws {
        let terminal = try #require(PseudoTerminal())
        terminal.setSize(columns: 1)
        let pid = try #require(
            terminal.start(BuildFolder.program("security"), words, environment: ["COLUMNS=1", "HOME=/nonexistent"]))
        #expect(terminal.wait(for: words.contains("item") && !words.contains("--nonsense") ? "USAGE: " : "Usage: "))
        var status: Int32 = -1
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        #expect(status & 0x7F == 0)
    }

    /// A terminal gets no control code that it may not know, and no line of progress stays.
    @Test func progressIsPlain() throws {
        let terminal = try #require(PseudoTerminal())
        let descriptor = open(terminal.name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(descriptor) }
        let progress = Progress(Output(descriptor: descriptor))
        progress.show("reading… 3 s")
        progress.finish()
        try Output(descriptor: descriptor).write("end")
        #expect(terminal.wait(for: "end"))
        #expect(!terminal.seen.contains(0x1B) && terminal.text.hasSuffix("\rend"))
    }

    /// A dialog in the same terminal reads single keys, and a line of progress would be drawn over its field.
    @Test func progressLeavesADialogAlone() throws {
        let terminal = try #require(PseudoTerminal())
        let descriptor = open(terminal.name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(descriptor) }
        var settings = termios()
        try #require(tcgetattr(descriptor, &settings) == 0)
        settings.c_lflag &= ~tcflag_t(ICANON)
        try #require(tcsetattr(descriptor, TCSANOW, &settings) == 0)
        let progress = Progress(Output(descriptor: descriptor))
        progress.show("searching… 3 s")
        progress.finish()
        try Output(descriptor: descriptor).write("end")
        #expect(terminal.wait(for: "end"))
        #expect(terminal.text == "end")
    }
}
