import ChatelaineModel
import Foundation
import Synchronization
import Testing

@testable import SecurityTool

/// Tests of which items are changed and deleted, and of the question before that.
struct SelectionTests {
    /// Runs the command at a terminal where somebody types `answer` after the question.
    private func run(_ arguments: [String], answer: String, keychain: FakeKeychain = FakeKeychain()) throws -> (
        run: ToolRun, seen: String
    ) {
        let terminal = try #require(PseudoTerminal())
        let name = terminal.name
        let run = Background { ToolRun(arguments, keychain: keychain, terminal: name) }
        if terminal.wait(for: "[y/N] ") { terminal.type(answer) }
        return (try #require(run.wait(milliseconds: -1)), terminal.text)
    }

    @Test(arguments: ["y\n", "Yes\n"])
    func severalAreDeletedWhenAPersonSaysSo(answer: String) throws {
        let keychain = FakeKeychain()
        let (run, seen) = try run(["item", "delete", "-s", "mail"], answer: answer, keychain: keychain)
        #expect(seen.contains("2 items match") && seen.contains("Delete them all? [y/N] "))
        #expect(run.exitStatus == 0 && run.text == "2 items deleted\n")
        #expect(ToolRun(["item", "find", "-s", "mail"], keychain: keychain).exitStatus == 44)
    }

    @Test(arguments: ["\n", "n\n", "yesterday\n", "\u{04}"])
    func anythingElseIsNo(answer: String) throws {
        for words in [["item", "delete", "-s", "mail"], ["item", "update", "-s", "mail", "--set", "label=x"]] {
            let keychain = FakeKeychain()
            let (run, _) = try run(words, answer: answer, keychain: keychain)
            #expect(run.exitStatus == 1 && run.text.isEmpty && run.errors == "security: nothing was done\n")
            guard case .find? = keychain.last else { throw ToolError.failure("something was asked besides") }
        }
    }

    /// Text typed before the question does not answer it.
    @Test func answersTypedAheadDoNotCount() throws {
        let terminal = try #require(PseudoTerminal())
        terminal.type("y\n")
        #expect(terminal.wait(for: "y\r\n"))
        let name = terminal.name
        let run = Background { ToolRun(["item", "delete", "-s", "mail"], terminal: name) }
        #expect(terminal.wait(for: "[y/N] "))
        terminal.type("\n")
        #expect(try #require(run.wait(milliseconds: -1)).exitStatus == 1)
    }

    /// The identifier alone selects an item for deletion, so an item stored meanwhile stays.
    @Test func whatWasCountedIsDeleted() throws {
        let keychain = FakeKeychain()
        #expect(ToolRun(["item", "delete", "-s", "mail", "-a", "anna"], keychain: keychain).text == "1 item deleted\n")
        guard case .delete(let query)? = keychain.last else { throw ToolError.failure("nothing was deleted") }
        #expect(query.identifier?.bytes == Array(repeating: 1, count: 16) && query.attributes.isEmpty)
        _ = ToolRun(["item", "update", "-s", "mail", "--set", "label=x"], keychain: keychain)
        guard case .update(let query, _)? = keychain.last else { throw ToolError.failure("nothing was changed") }
        #expect(query.items?.map(\.bytes) == [Array(repeating: 2, count: 16)] && query.attributes.isEmpty)
    }

    /// One call changes several items: all or none.
    @Test func severalAreChangedAtOnce() throws {
        let keychain = FakeKeychain()
        #expect(
            ToolRun(["item", "update", "-s", "mail", "--all", "--set", "label=x"], keychain: keychain).exitStatus == 0)
        guard case .update(let query, _)? = keychain.last else { throw ToolError.failure("nothing was changed") }
        #expect(query.items?.count == 2 && query.attributes.isEmpty && query.synchronizable == .any)
    }

    @Test func aDuplicateIsNoticedBeforeTheSecretIsAskedFor() throws {
        let keychain = FakeKeychain()
        // Without a terminal, a question would fail differently.
        let run = ToolRun(["item", "add", "-s", "mail", "-a", "anna"], keychain: keychain)
        #expect(run.exitStatus == 45)
        #expect(
            run.errors == "security: errSecDuplicateItem: the item is there already; security item update changes it\n")
        let others = [
            // Each row differs from the stored items: fewer unique attributes, another account, synchronizable, or
            // another class.
            ["-s", "mail"], ["-s", "mail", "-a", "bert"], ["-s", "mail", "-a", "anna", "--synchronizable", "yes"],
            ["--server", "mail", "-a", "anna"], ["--server", "example.org", "-a", "anna", "--protocol", "ssh"],
            ["--server", "example.org", "-a", "anna", "--protocol", "https"],
        ]
        for words in others { #expect(ToolRun(["item", "add"] + words).exitStatus == 36, "\(words)") }
        let same = [
            "--server", "example.org", "-a", "anna", "--protocol", "https", "--port", "443", "-l", "another label",
        ]
        #expect(ToolRun(["item", "add"] + same).exitStatus == 45)
        // A secret from elsewhere is read first, and the addition reports the duplicate.
        #expect(ToolRun(["item", "add", "-s", "mail", "-a", "anna", "--stdin"], keychain: keychain).exitStatus == 45)
        guard case .add? = keychain.last else { throw ToolError.failure("it was not added") }
    }

    @Test func theSecretOfOneOfSeveralIsNotGuessed() {
        let run = ToolRun(["item", "find", "-s", "mail", "--secret"])
        #expect(run.exitStatus == 1 && run.output.isEmpty)
        #expect(run.errors.contains("2 items match") && run.errors.contains("--account"))
        #expect(ToolRun(["item", "find", "-s", "mail", "--secret", "--json"]).output.isEmpty)
        #expect(ToolRun(["item", "find", "-s", "mail", "--synchronizable", "no", "--secret"]).text == "s3cret")
    }
}
