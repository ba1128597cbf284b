import ChatelaineMemory
import ChatelaineModel
import Testing

@testable import SecurityTool

/// Tests of the frame of macOS's verbs: how words are read, and how usage and failures are printed.
struct MacVerbTests {
    private static let verb = MacVerb(
        name: "set-something", usage: "[-h] [-l] [-u] [-t seconds] [-w [password]] [keychain]", summary: "Sets it.",
        options: [
            MacOption("l", "L."), MacOption("u", "U."), MacOption("t", .one("seconds"), "T."),
            MacOption("w", .oneOrAsked("password"), "W."),
        ], operands: .atMostOne("keychain")
    ) { _, _ in 0 }

    private func read(_ words: String...) throws(MacUsage) -> MacArguments {
        try MacArguments(words, of: Self.verb)
    }

    @Test func eachOfSeveralKeychainsIsDeleted() {
        let keychain = FakeKeychain()
        let run = ToolRun(["delete-keychain", "b", "a", "c"], keychain: keychain)
        #expect(run.exitStatus == 50)
        let deleted = keychain.all.count { if case .keychain(.delete) = $0 { true } else { false } }
        #expect(deleted == 3)
        for name in ["b", "c"] { #expect(run.errors.contains("security: SecKeychainDelete \(name): ")) }
    }

    @Test func lettersStandTogether() throws {
        let read = try read("-lut", "21600", "ci.keychain")
        #expect(read.has("l") && read.has("u") && read.value(of: "t") == "21600" && !read.has("w"))
        #expect(read.operands == ["ci.keychain"])
        #expect(try self.read("-lt5", "-u").value(of: "t") == "5")
        #expect(try self.read("-tlu").value(of: "t") == "lu", "what stands behind it is its value")
        #expect(try self.read("-t", "-u").value(of: "t") == "-u")
    }

    @Test func optionsEndAtTheFirstOtherWord() throws {
        #expect(try read("-l", "--", "-u").operands == ["-u"])
        #expect(try read("-").operands == ["-"])
        #expect(throws: MacUsage()) { try read("keychain", "-l") }
        #expect(try read("-l", "").operands == [""])
    }

    @Test func theLastOfSeveralCountsAndAllAreThere() throws {
        let read = try read("-t", "1", "-t", "2", "-t3")
        #expect(read.value(of: "t") == "3" && read.values(of: "t") == ["1", "2", "3"])
    }

    @Test func oneValueMayBeAskedForAtTheEnd() throws {
        let asked = try read("-l", "-w")
        #expect(asked.has("w") && asked.value(of: "w") == nil)
        #expect(try read("-w", "x").value(of: "w") == "x")
        #expect(try read("-w", "-l").value(of: "w") == "-l")
    }

    @Test func whatIsNoOptionIsWrongUsage() {
        #expect(throws: MacUsage("illegal option -- x")) { try read("-lx") }
        #expect(throws: MacUsage("illegal option -- -")) { try read("--long") }
        #expect(throws: MacUsage("option requires an argument -- t")) { try read("-lut") }
        #expect(throws: MacUsage()) { try read("-h") }
        #expect(throws: MacUsage()) { try read("a", "b") }
    }

    /// Wrong usage goes to standard error with exit status 2; `help` prints the usage to standard output with 0.
    @Test func usageHasApplesForm() {
        for verb in MacVerb.all {
            let usage = verb.text
            #expect(usage.hasPrefix("Usage: \(verb.name) \(verb.usage)\n"))
            #expect(usage.hasSuffix("\n        \(verb.summary)\n"))
            let help = ToolRun(["help", verb.name])
            #expect(help.text == usage && help.exitStatus == 0 && help.errors.isEmpty)
            #expect(ToolRun([verb.name, "--help"]).text == usage)
            // One verb has an option of that letter.
            if !verb.options.contains(where: { $0.letter == "h" }) {
                let wrong = ToolRun([verb.name, "-h"])
                #expect(wrong.errors == usage && wrong.exitStatus == 2 && wrong.text.isEmpty)
            }
            let unknown = ToolRun([verb.name, "-Q"])
            #expect(unknown.errors == "security: illegal option -- Q\n" + usage && unknown.exitStatus == 2)
            // The usage line names every option except `-P`.
            guard !verb.usage.contains("[options...]") else { continue }
            for option in verb.options where option.letter != "P" { #expect(verb.usage.contains("-\(option.letter)")) }
        }
    }

    /// A prefix means the first verb of Apple's table that has it, unless one of our own verbs has it too.
    @Test func theFirstThatBeginsSoIsMeant() {
        func name(_ word: String) -> String? {
            if case .found(let verb) = VerbMatch(word, among: Verb.all) { verb.name } else { nil }
        }
        #expect(name("list-keychain") == "list-keychains" && name("default") == "default-keychain")
        #expect(name("lock-k") == "lock-keychain" && name("lock") == "lock" && name("unl") == nil)
        let verbs = ["set-b", "set-a"].map { name in
            Verb(
                name: name, usage: "", summary: "",
                action: .mac(MacVerb(name: name, usage: "", summary: "") { _, _ in 0 }))
        }
        guard case .found(let first) = VerbMatch("set", among: verbs) else { return #expect(Bool(false)) }
        #expect(first.name == "set-b")
        let own = Verb(name: "settings", usage: "", summary: "", action: .help)
        guard case .ambiguous = VerbMatch("set", among: verbs + [own]) else { return #expect(Bool(false)) }
    }

    /// A failure shows macOS's call and message, and then the reason.
    @Test func failuresAreTold() {
        let run = ToolRun(["create-keychain", "-p", "x", "a"])
        #expect(run.exitStatus == 48 && run.text.isEmpty)
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("security: SecKeychainCreate a: A keychain with this name"))
        #expect(lines.last?.hasSuffix("/keychains/a-db is there already") == true)
        let missing = ToolRun(["delete-keychain", "b"])
        #expect(missing.exitStatus == 50 && missing.errors.hasPrefix("security: SecKeychainDelete: "))
        #expect(missing.errors.split(separator: "\n").count == 1)
    }
}
