import ChatelaineMemory
import ChatelaineModel
import Testing

@testable import SecurityTool

/// Tests of `item show`, `acl list` and `acl revoke`: what they print about access objects, and what they write.
struct GrantVerbTests {
    private let keychain = FakeKeychain()

    private func run(_ words: String..., input: String = "") -> ToolRun {
        ToolRun(words, keychain: keychain, input: Array(input.utf8))
    }

    private var changes: [(access: AccessObject, password: SecretBytes?)] {
        keychain.all.compactMap {
            if case .setAccess(let access, _, let password) = $0 { (access, password) } else { nil }
        }
    }

    @Test func anItemIsShownWithWhoMayUseIt() {
        let run = run("item", "show", "-a", "anna", "--keychain", "a")
        #expect(run.exitStatus == 0 && run.errors.isEmpty)
        #expect(run.text.hasPrefix("class           generic\n"))
        #expect(run.text.contains("keychain        \(FakeKeychain.path)\nverified        yes\n"))
        #expect(
            run.text.hasSuffix(
                """
                The secret is read without asking by:
                  the security command, and through it every program of yours
                  /srv/gone
                Every program of its partitions may overwrite it.
                These may read and delete it; about others a person is asked:
                  /usr/bin/security: the security command, and through it every program of yours
                  /srv/gone: whatever program root has put there; no program stands there now
                Whoever an entry lets in has to be of one of its partitions besides:
                  apple-tool:  the security command, and through it every program of yours
                  apple:  programs that root alone can put where they are
                No program may change who may use it without asking: a person is asked.

                """), "\(run.text)")
        #expect(!run.text.contains("s3cret"))
        #expect(
            !keychain.all.contains {
                if case .findInKeychains(let query, _) = $0 { query.returns.contains(.data) } else { false }
            })
    }

    @Test func everyKindOfEntryHasItsSentence() throws {
        let digest = try #require(ExecutableDigest([UInt8](repeating: 0xAB, count: ExecutableDigest.byteCount)))
        let entries = [
            ACLEntry(
                [.any],
                .applications(
                    [TrustedApplication(.digest(digest), .degraded, at: "/opt/x")],
                    ACLPrompt("", [.requirePassphrase, .unsignedAct, .invalidAct]))),
            ACLEntry([ACLAuthorization(rawValue: 4711)], .custom([1])), ACLEntry([.integrity], .integrity([1])),
            ACLEntry([], .any),
        ]
        keychain.access.withLock { $0 = AccessObject(owner: ACLEntry([.changeACL], .any), entries: entries) }
        let text = run("item", "show", "-a", "anna", "--keychain", "a").text
        for line in [
            "Nobody reads the secret without being asked about.\n",
            "These may do everything with it; about others a person is asked, for the keychain\u{2019}s password, and programs without a signature are refused, and programs whose signature does not count are refused:\n",
            "; another program stands there now, and is asked about\n",
            "An entry that no program of ours has made lets nobody in.\n",
            "An entry holds a digest, and lets nobody in.\n",
            "Every program of yours may do nothing with it.\n", "Every program of yours may change who may use it.\n",
        ] { #expect(text.contains(line), "\(line) in \(text)") }
        keychain.access.withLock {
            $0 = .open.partitioned(
                PartitionList([PartitionID("teamid:ABCDE12345"), PartitionID("unsigned:")].compactMap { $0 }))
        }
        let open = run("item", "show", "-a", "anna", "--keychain", "a").text
        #expect(open.contains("The secret is read without asking by:\n  programs signed by team ABCDE12345\n"))
        #expect(open.contains("  unsigned:  nobody here\n"))
    }

    @Test func whoUsesAKeyIsTold() {
        keychain.keychainItems.withLock { $0 = [FakeKeychain.key] }
        let shown = run("item", "show", "--class", "key", "--keychain", "a").text
        #expect(
            shown.contains(
                """
                The key is used without asking by:
                  the security command, and through it every program of yours
                  /srv/gone
                Its bytes are taken out without asking by:
                  the security command, and through it every program of yours
                  /srv/gone
                Every program of its partitions may overwrite its attributes.
                These may sign with it, decrypt with it and delete it, agree on secrets with it, take its bytes out; about others a person is asked:

                """), "\(shown)")
        let listed = run("acl", "list", "a").text
        #expect(
            listed.contains("    sign, decrypt, derive, export, write  \(FakeKeychain.path)  signing\n"), "\(listed)")
        keychain.access.withLock { access in
            access = .default(descriptor: "signing", trusted: [])
            access.entries.append(ACLEntry([.sign], .any))
        }
        let open = run("item", "show", "--class", "key", "--keychain", "a").text
        #expect(
            open.contains(
                """
                The key is used without asking by:
                  every program of yours
                Nobody takes its bytes out without being asked about.

                """), "\(open)")
        #expect(run("acl", "list", "a", "--json").text.contains("\"rights\":[\"sign\",\"write\"]"))
    }

    @Test func aLockedItemSaysThatNothingIsProven() {
        keychain.keychainItems.withLock { for index in $0.indices { $0[index].isVerified = false } }
        let run = run("item", "show", "-a", "anna", "--keychain", "a")
        #expect(run.exitStatus == 0)
        #expect(run.text.contains("verified        no: the keychain is locked, and its file proves nothing\n"))
        #expect(run.text.hasSuffix("Who may use it is told when its keychain is unlocked: security unlock-keychain.\n"))
    }

    @Test func grantsAreListedByProgram() {
        let run = run("acl", "list", "a")
        #expect(run.exitStatus == 0 && run.errors.isEmpty)
        let path = FakeKeychain.path
        let items = "    read, write  \(path)  Post (anna)\n    read, write  \(path)  example.org (änne)\n"
        #expect(
            run.text == "/usr/bin/security: the security command, and through it every program of yours\n" + items
                + "/srv/gone: whatever program root has put there\n" + items)
        let missing = self.run("acl", "list", "b")
        #expect(missing.exitStatus == 1 && missing.errors.contains("there is no keychain at"))
    }

    @Test func aProgramIsRevokedWithThePassword() {
        for (program, left, partitions) in [
            ("/srv/gone", "/usr/bin/security", "apple-tool:"), ("path:/srv/gone", "/usr/bin/security", "apple-tool:"),
            ("apple-tool:", "/srv/gone", "apple:"), ("apple:", "/usr/bin/security", "apple-tool:"),
        ] {
            keychain.forget()
            let run = run("acl", "revoke", program, "--keychain", "a", "--stdin", input: "right\n")
            #expect(run.exitStatus == 0, "\(run.errors)")
            #expect(run.text.hasSuffix("revoked in 2 items\n"))
            #expect(changes.count == 2)
            for (access, password) in changes {
                #expect(access.listed.map(\.path.text) == [left])
                #expect(access.partitionList?.description == partitions)
                #expect(password == SecretBytes("right".utf8))
            }
        }
        keychain.forget()
        #expect(
            run("acl", "revoke", "/srv/gone", "-a", "anna", "--keychain", "a", "--stdin", input: "right").exitStatus
                == 0)
        #expect(changes.count == 1)
    }

    @Test func partitionsStayWhereAPersonIsAsked() {
        #expect(run("acl", "revoke", "/srv/gone", "--keychain", "a", "--keep-partitions").exitStatus == 0)
        #expect(changes.count == 2)
        for (access, password) in changes {
            #expect(access.listed.map(\.path.text) == ["/usr/bin/security"] && password == nil)
            #expect(access.partitionList == FakeKeychain.fixedAccess.partitionList)
        }
    }

    @Test func whatCannotBeRevokedIsTold() {
        let none = run("acl", "revoke", "/srv/other", "--keychain", "a", "--stdin", input: "right")
        #expect(none.exitStatus == 44 && none.errors.contains("no item of the keychain lists that program"))
        let wrong = run("acl", "revoke", "/srv/gone", "--keychain", "a", "--stdin", input: "wrong")
        #expect(wrong.exitStatus == 51 && wrong.text.isEmpty && !wrong.errors.contains("wrong\n\n"))
        #expect(run("acl", "revoke", "/srv/gone", "--keychain", "a").exitStatus != 0, "there is no terminal")
        #expect(run("acl", "revoke", "x", "--keep-partitions", "--stdin").exitStatus == 2)
        // An entry for all programs still lets the revoked program in.
        keychain.access.withLock {
            $0.entries.append(ACLEntry([.decrypt], .any))
            $0.entries.append(
                ACLEntry(
                    [.sign],
                    .applications([TrustedApplication(.identifier("path:/srv/a"), .file, at: "/srv/a")], ACLPrompt("")))
            )
        }
        let open = run("acl", "revoke", "/srv/gone", "--keychain", "a", "--stdin", input: "right")
        #expect(open.exitStatus == 0 && open.errors.contains("/srv/gone may read Post (anna) all the same"))
    }
}
