import ChatelaineModel
import Testing

@testable import SecurityTool

/// Tests of `security -i`: commands from standard input, from scripts and people.
@Suite struct InteractiveModeTests {
    @Test(arguments: [
        ("", []), ("  \t ", []), ("help", ["help"]), ("item  find\t--service a", ["item", "find", "--service", "a"]),
        (#"a "b c" 'd e'"#, ["a", "b c", "d e"]), (#"a "" ''"#, ["a", "", ""]),
        (#"a\ b \"c\' \\"#, ["a b", "\"c'", "\\"]),
        (#""a\"b" 'a\b'"#, ["a\"b", #"a\b"#]), (#"pre"mid dle"post"#, ["premid dlepost"]),
        ("# $HOME *", ["#", "$HOME", "*"]), ("a \"b\r\"\r", ["a", "b\r"]),
    ])
    func wordsAreTakenApart(line: String, words: [String]) throws {
        #expect(try CommandLineWords.split(line.utf8) == words)
    }

    @Test func whatIsNoCommandIsRefused() {
        #expect(throws: CommandLineWords.Defect.unfinishedQuote) { try CommandLineWords.split("a \"b".utf8) }
        #expect(throws: CommandLineWords.Defect.unfinishedQuote) { try CommandLineWords.split("a \\".utf8) }
        #expect(throws: CommandLineWords.Defect.invalidText) { try CommandLineWords.split([0xFF, 0x20]) }
        #expect(throws: CommandLineWords.Defect.invalidText) { try CommandLineWords.split([0x61, 0]) }
        let most = Array(repeating: "a", count: CommandLineWords.maximumCount).joined(separator: " ")
        #expect(throws: Never.self) { try CommandLineWords.split(most.utf8) }
        #expect(throws: CommandLineWords.Defect.tooManyWords) { try CommandLineWords.split((most + " a").utf8) }
    }

    @Test func optionsBeforeTheVerbAreRead() {
        #expect(GlobalOptions(["-i"])?.isInteractive == true)
        #expect(GlobalOptions(["-qv", "help"])?.words == ["help"])
        #expect(GlobalOptions(["-p", "> "])?.prompt == "> ")
        #expect(GlobalOptions(["-qp>"])?.prompt == ">")
        #expect(GlobalOptions(["-R", "--", "-i"])?.words == ["-i"])
        #expect(GlobalOptions(["-l", "help"])?.words == ["help"] && GlobalOptions(["-liR"])?.isInteractive == true)
        for words in [["-x"], ["-p"], ["--interactive"]] { #expect(GlobalOptions(words) == nil) }
    }

    @Test func eachLineIsACommandAndTheLastOneCounts() {
        let run = ToolRun(["-i"], input: Array("help error\n\nhelp lock".utf8))
        #expect(run.exitStatus == ExitStatus.success)
        #expect(run.text.hasPrefix("OVERVIEW: Explains"))
        #expect(run.text.contains("OVERVIEW: Locks"))
        #expect(run.errors == "")
        let failed = ToolRun(["-i"], input: Array("help error\nnonsense --with words\n".utf8))
        #expect(failed.exitStatus == ExitStatus.failure)
        #expect(failed.errors.hasSuffix("nonsense: returned 1\n"))
    }

    @Test func quietAndVerbose() {
        let quiet = ToolRun(["-q", "-i"], input: Array("nonsense\n".utf8))
        #expect(!quiet.errors.contains("returned"))
        let verbose = ToolRun(["-iv"], input: Array("help error\n".utf8))
        #expect(verbose.errors == "help error\n")
        #expect(ToolRun(["-v", "help", "error"]).errors == "help error\n")
    }

    @Test func aLineThatIsTooLongIsPassedOverAlone() {
        let long = String(repeating: "a", count: CommandLineWords.maximumLineBytes + 1)
        let run = ToolRun(["-i"], input: Array("\(long)\nhelp error\n".utf8))
        #expect(run.exitStatus == ExitStatus.success)
        #expect(run.errors.contains("4096 bytes at the most"))
        #expect(run.text.hasPrefix("OVERVIEW: Explains"))
    }

    @Test func whatFollowsALineIsForItsCommand() {
        let keychain = FakeKeychain()
        let run = ToolRun(
            ["-i"], keychain: keychain,
            input: Array("item add --service s --account a --stdin\nthe secret".utf8))
        #expect(run.exitStatus == ExitStatus.success, "\(run.errors)")
    }

    @Test func aWrongOptionShowsHow() {
        let run = ToolRun(["-x"])
        #expect(run.exitStatus == ExitStatus.usage)
        #expect(run.text.contains("USAGE: security"))
    }
}
