import ArgumentParser
import Testing

@testable import SecurityTool

/// Tests of rules for all verbs.
struct VerbTests {
    private static func leaves(_ verbs: [Verb], path: String) -> [(path: String, verb: Verb)] {
        verbs.flatMap { verb in
            verb.verbs.isEmpty ? [("\(path) \(verb.name)", verb)] : leaves(verb.verbs, path: "\(path) \(verb.name)")
        }
    }

    /// Lists, usage lines and help agree.
    @Test func everyVerbSaysTheSameEverywhere() {
        for (path, verb) in Self.leaves(Verb.all, path: "security") {
            guard case .command(let type) = verb.action else { continue }
            // The usage line of a command begins with the verbs that lead to it.
            #expect(type.configuration.usage == "\(path) \(verb.usage)")
            let words = path.split(separator: " ").dropFirst().map(String.init)
            let help = ToolRun(["help"] + words).text
            #expect(help == ToolRun(words + ["--help"]).text)
            #expect(help.hasPrefix("OVERVIEW: \(verb.summary)\n"))
            #expect(help.contains("\nUSAGE: ") && help.hasSuffix("\n") && !help.hasSuffix("\n\n"))
        }
    }

    @Test func everyGroupHasTheSameForm() {
        for words in [[], ["item"], ["passcode"], ["snapshot"], ["app"]] {
            let help = ToolRun(["help"] + words).text
            #expect(
                help.hasPrefix("OVERVIEW: ") && help.contains("\n\nUSAGE: security") && help.contains("\n\nVERBS:\n"))
            #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
        }
    }

    /// The verbs of macOS's tool that we do not have are counted without repetition.
    ///
    /// We do have `help` and `error`.
    @Test func everyVerbOfMacOSHasAnAnswer() {
        #expect(AbsentVerb.names.count == 19 && Set(AbsentVerb.names).count == 19)
        // The others exist here under their names.
        #expect(MacVerb.all.count == 39 && Set(MacVerb.all.map(\.name)).count == 39)
        for name in AbsentVerb.names {
            #expect(!Verb.all.contains { $0.name == name })
            let run = ToolRun([name, "-a", "x"])
            #expect(run.exitStatus == 1 && run.text.isEmpty)
            #expect(run.errors.hasPrefix("security: “\(name)” is a verb of macOS; "))
            let answer = AbsentVerb.named(name)?.answer ?? ""
            guard answer.hasPrefix("use security ") else {
                #expect(answer.hasPrefix("no verb does that"))
                continue
            }
            // The suggested verb exists with its options.
            let words = answer.dropFirst("use security ".count).prefix { $0 != "," && $0 != ";" }
            let verbs = words.split(separator: " ").prefix { !$0.hasPrefix("--") }.map(String.init)
            let help = ToolRun(["help"] + verbs)
            #expect(help.exitStatus == 0)
            for option in answer.split(separator: " ") where option.hasPrefix("--") {
                #expect(help.text.contains("\(option) "), "\(option)")
            }
        }
        #expect(AbsentVerb.named("find") == nil && AbsentVerb.named("") == nil)
    }
}
