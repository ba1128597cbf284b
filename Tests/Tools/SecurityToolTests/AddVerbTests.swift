import ChatelaineMemory
import ChatelaineModel
import Glibc
import TestSupport
import Testing

@testable import SecurityTool

/// Tests of `add-…-password` and `set-…-password-partition-list`: their requests to the keychain and their questions to
/// a person.
struct AddVerbTests {
    private let keychain = FakeKeychain()

    private func run(_ words: String...) -> ToolRun { ToolRun(words, keychain: keychain) }

    private func added() -> NewItem? { if case .addToKeychain(let item, _)? = keychain.last { item } else { nil } }

    private func add(_ words: String...) -> NewItem? {
        let run = ToolRun(["add-generic-password", "-a", "bob", "-s", "svc"] + words, keychain: keychain)
        guard run.exitStatus == 0, run.text.isEmpty, run.errors.isEmpty else { return nil }
        return added()
    }

    private func listed(_ access: AccessObject?) -> [String]? {
        guard let entry = access?.entries.first(where: { $0.authorizes(.decrypt) }) else { return nil }
        guard case .applications(let applications, _) = entry.subject else { return nil }
        return applications.map(\.path.text)
    }

    @Test func anItemHasWhatTheOptionsSay() throws {
        let item = try #require(
            add("-w", "s3cret", "-l", "L", "-D", "D", "-j", "J", "-c", "abcd", "-C", "note", "-G", "g", "a"))
        #expect(item.secret == SecretBytes("s3cret".utf8) && item.access == nil)
        let expected: [AttributeKey: AttributeValue] = [
            .account: .text("bob"), .service: .text("svc"), .label: .text("L"), .itemDescription: .text("D"),
            .comment: .text("J"), .creator: .number(0x6162_6364), .type: .number(0x6E6F_7465),
            .generic: .data(Array("g".utf8)),
        ]
        #expect(item.attributes.count == expected.count)
        for (key, value) in expected { #expect(item.attributes[key] == value) }
        guard case .addToKeychain(_, let path)? = keychain.last else { return #expect(Bool(false)) }
        #expect(path?.text == FakeKeychain.path)
        #expect(
            run("add-internet-password", "-a", "bob", "-s", "h", "-p", "/x", "-P", "80", "-r", "http", "-d", "d")
                .exitStatus == 0)
        let internet = try #require(added())
        #expect(internet.attributes[.path] == .text("/x") && internet.attributes[.port] == .number(80))
        #expect(internet.attributes[.authenticationType] == .text("dflt") && internet.secret == SecretBytes([]))
    }

    /// The last of `-w`, `-X` and the older `-p` counts; without them, the secret is empty.
    @Test func theSecretIsThatOfTheLastOption() {
        #expect(add()?.secret == SecretBytes([]))
        #expect(add("-p", "old")?.secret == SecretBytes("old".utf8))
        #expect(add("-w", "x", "-X", "00fFa0")?.secret == SecretBytes([0, 0xFF, 0xA0]))
        #expect(add("-X", "00", "-w", "x")?.secret == SecretBytes("x".utf8))
        for digits in ["0", "0g", "00 "] {
            let run = run("add-generic-password", "-a", "b", "-s", "s", "-X", digits)
            #expect(run.exitStatus == 2 && run.errors.contains("Usage: add-generic-password "))
        }
    }

    @Test func trustedProgramsAreListed() throws {
        #expect(
            listed(try #require(add("-T", "/opt/a", "-T", "/usr/bin/security", "-T", "/opt/a")).access)
                == ["/opt/a", "/usr/bin/security"])
        #expect(listed(try #require(add("-T", "")).access) == [])
        let open = try #require(add("-A", "-l", "Label")?.access)
        guard let entry = open.entries.first(where: { $0.authorizes(.decrypt) }) else { return #expect(Bool(false)) }
        #expect(entry.subject == .anyDescribed(ACLPrompt("Label")))
        #expect(open.owner.subject == .applications([], ACLPrompt("Label")), "changing it is another matter")
        #expect(try #require(add("-T", "")).access?.owner.subject == .applications([], ACLPrompt("svc")))
    }

    /// Scripts of macOS name the command so, wherever it is installed.
    @Test func thePathOfMacOSMeansThisCommand() {
        #expect(add("-T", "/usr/bin/security") != nil)
        let isMissing = access("/usr/bin/security", F_OK) != 0
        let asked = keychain.all.contains { if case .trusted(nil) = $0 { true } else { false } }
        #expect(asked == isMissing)
    }

    @Test func aPathThatIsNoProgramEndsWith1() {
        let missing = run("add-generic-password", "-a", "b", "-s", "s", "-T", "/srv/none")
        #expect(missing.exitStatus == 1 && missing.text.isEmpty && added() == nil)
        #expect(missing.errors.hasPrefix("security: SecTrustedApplicationCreateFromPath /srv/none: "))
        let group = run("add-generic-password", "-a", "b", "-s", "s", "-T", "group://mail")
        #expect(group.exitStatus == 1)
        #expect(group.errors.hasPrefix("security: SecTrustedApplicationCreateApplicationGroup group://mail: "))
    }

    @Test func whatIsThereIs45() {
        let duplicate = run("add-generic-password", "-a", "anna", "-s", "mail", "-w", "hidden")
        #expect(duplicate.exitStatus == 45 && !duplicate.errors.contains("hidden"))
        #expect(duplicate.errors.hasPrefix("security: SecKeychainItemCreateFromContent (<default>): "))
        #expect(
            run("add-generic-password", "-a", "anna", "-s", "mail", "a").errors
                .hasPrefix("security: SecKeychainItemCreateFromContent (a): "))
    }

    @Test func wrongUsageIs2() {
        for words in [["-a", "x"], ["-s", "x"], ["-a", "x", "-s", "y", "a", "b"], []] {
            #expect(ToolRun(["add-generic-password"] + words, keychain: keychain).exitStatus == 2)
        }
        #expect(keychain.last == nil)
    }

    @Test func aSecretIsTypedTwice() throws {
        let terminal = try #require(PseudoTerminal())
        let (name, keychain) = (terminal.name, keychain)
        let words = ["add-generic-password", "-a", "bob", "-s", "svc", "-w"]
        let run = Background { ToolRun(words, keychain: keychain, terminal: name) }
        for question in ["password data for new item: ", "retype password for new item: "] {
            #expect(terminal.wait(for: question))
            #expect(!terminal.isEchoing)
            terminal.type("s3cret\n")
        }
        #expect(run.wait(milliseconds: -1)?.exitStatus == 0)
        #expect(added()?.secret == SecretBytes("s3cret".utf8) && !terminal.text.contains("s3cret"))
        #expect(ToolRun(words, keychain: FakeKeychain()).exitStatus == 1, "nobody is there to ask")
    }

    // MARK: One that is there

    @Test func anItemIsChangedInItsPlace() {
        let run = run(
            "add-generic-password", "-U", "-a", "anna", "-s", "mail", "-l", "New", "-w", "x", "-T", "/opt/a", "-T",
            "/usr/bin/security")
        #expect(run.exitStatus == 0 && run.errors.isEmpty)
        let changes = keychain.all.compactMap { asked in
            if case .updateInKeychains(_, let change, let scope) = asked { (change, scope) } else { nil }
        }
        #expect(changes.count == 1 && changes[0].1.items?.count == 1)
        #expect(changes[0].0.attributes.count == 1 && changes[0].0.attributes[.label] == .text("New"))
        #expect(changes[0].0.secret == SecretBytes("x".utf8))
        // Listed programs stay, and the new one is added.
        guard case .setAccess(let access, _, nil)? = keychain.last else { return #expect(Bool(false)) }
        #expect(listed(access) == ["/usr/bin/security", "/srv/gone", "/opt/a"])
    }

    @Test func whoIsListedIsNotAskedAboutAgain() {
        let listed = run("add-generic-password", "-U", "-a", "anna", "-s", "mail", "-T", "/usr/bin/security")
        #expect(listed.exitStatus == 0)
        #expect(!keychain.all.contains { if case .setAccess = $0 { true } else { false } })
        // Values without an option stay unchanged.
        guard case .updateInKeychains(_, let change, _)? = keychain.last else { return #expect(Bool(false)) }
        #expect(change.secret == nil && change.attributes.isEmpty)
        #expect(run("add-generic-password", "-U", "-a", "anna", "-s", "mail", "-A").exitStatus == 0)
        guard case .setAccess(let access, _, nil)? = keychain.last else { return #expect(Bool(false)) }
        #expect(access.entries.contains { $0.subject == .anyDescribed(ACLPrompt("Post")) })
    }

    @Test func whatIsNotThereIsAdded() {
        #expect(run("add-generic-password", "-U", "-a", "bob", "-s", "mail", "-w", "x").exitStatus == 0)
        #expect(added()?.secret == SecretBytes("x".utf8))
        // Without an option for the port, an item without a port is meant, which is another one.
        #expect(run("add-internet-password", "-U", "-a", "änne", "-s", "example.org").exitStatus == 0)
        #expect(added() != nil)
    }

    /// Two commands at once: the other one has added the item between our look and our addition.
    @Test func whatAnotherAddedMeanwhileIsChanged() {
        keychain.blindSearches.withLock { $0 = 1 }
        let run = run("add-generic-password", "-U", "-a", "anna", "-s", "mail", "-w", "x")
        #expect(run.exitStatus == 0 && run.errors.isEmpty && added() == nil)
        guard case .updateInKeychains(_, let change, _)? = keychain.last else { return #expect(Bool(false)) }
        #expect(change.secret == SecretBytes("x".utf8))
        #expect(self.run("add-generic-password", "-a", "anna", "-s", "mail", "-w", "x").exitStatus == 45)
    }

    @Test func whatCannotBeChangedIsAddedAndFailsSo() {
        keychain.refusal.withLock { $0 = KeychainError(.authFailed, "the program is in none of its partitions") }
        let run = run("add-generic-password", "-U", "-a", "anna", "-s", "mail", "-w", "x")
        #expect(run.exitStatus == 45 && run.errors.hasPrefix("security: SecKeychainItemModifyContent: "))
        #expect(run.errors.contains("security: SecKeychainItemCreateFromContent (<default>): "))
    }

    // MARK: Partition lists

    @Test func thePartitionListIsSetWithThePassword() {
        let run = run(
            "set-generic-password-partition-list", "-S", "apple:,teamid:ABCDE12345", "-a", "anna", "-k", "right", "a")
        #expect(run.text == PasswordVerbTests.genericRecord && run.errors.isEmpty && run.exitStatus == 0)
        guard case .setAccess(let access, _, let password)? = keychain.last else { return #expect(Bool(false)) }
        #expect(access.partitionList?.description == "apple:, teamid:ABCDE12345")
        #expect(password == SecretBytes("right".utf8))
        #expect(access.entries.count == FakeKeychain.fixedAccess.entries.count, "nothing else is changed")
        // A locked keychain is unlocked first.
        #expect(keychain.all.contains { if case .keychainPassword(.unlock, _) = $0 { true } else { false } })
    }

    /// The exit status is 1 for every status of the keychain.
    @Test func itsFailuresEndWith1() {
        let verb = "set-internet-password-partition-list"
        let wrong = run(verb, "-S", "apple:", "-k", "s3cret")
        #expect(wrong.exitStatus == 1 && wrong.text.isEmpty && !wrong.errors.contains("s3cret"))
        #expect(wrong.errors.hasPrefix("security: SecKeychainUnlock <NULL>: "))
        let none = run(verb, "-S", "apple:", "-k", "right", "-s", "nowhere")
        #expect(none.exitStatus == 1 && none.errors.hasPrefix("security: SecItemCopyMatching: "))
        #expect(run(verb, "-S", "apple:", "-k", "right", "b").exitStatus == 1)
        #expect(run(verb, "-k", "right").exitStatus == 2)
        #expect(run(verb, "-S", "a\u{7}", "-k", "right").exitStatus == 2)
        #expect(run(verb, "-S", "apple:", "-k", "right", "a", "b").exitStatus == 2)
        #expect(run(verb, "-S", "apple:").exitStatus == 255, "there is nobody to ask")
    }

    @Test func itsPasswordIsAskedFor() throws {
        let terminal = try #require(PseudoTerminal())
        let (name, keychain) = (terminal.name, keychain)
        let run = Background {
            ToolRun(["set-generic-password-partition-list", "-S", "apple:", "a"], keychain: keychain, terminal: name)
        }
        #expect(terminal.wait(for: "password to unlock a: "))
        terminal.type("right\n")
        #expect(run.wait(milliseconds: -1)?.exitStatus == 0 && !terminal.text.contains("right"))
    }
}
