import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import SecurityTool

/// Tests of `dump-keychain`: what it prints after an item's record, and where.
struct DumpVerbTests {
    private let keychain = FakeKeychain()

    private func run(_ words: String...) -> ToolRun { ToolRun(["dump-keychain"] + words, keychain: keychain) }

    private static let access = """
        access: 4 entries
            entry 0:
                authorizations (1): encrypt
                don't-require-password
                description: \("")
                applications: <null>
            entry 1:
                authorizations (6): decrypt derive export_clear export_wrapped mac sign
                don't-require-password
                description: Post
                applications (2):
                    0: /usr/bin/security (OK)
                        requirement: the security command, and with it every program of the user's
                    1: /srv/gone (status 100002)
                        requirement: path "/srv/gone" and root's alone to change
            entry 2:
                authorizations (1): partition_id
                don't-require-password
                description: apple-tool:, apple:
                applications: <null>
            entry 3:
                authorizations (1): change_acl
                don't-require-password
                description: Post
                applications (0):

        """

    @Test func everyItemIsThere() {
        let run = run("a")
        #expect(run.text == PasswordVerbTests.genericRecord + PasswordVerbTests.internetRecord)
        #expect(run.exitStatus == 0 && run.errors.isEmpty)
        // The command asks only for names, one keychain at a time.
        for asked in keychain.all {
            if case .findInKeychains(let query, let scope) = asked {
                #expect(query.returns == .attributes && query.limit == .all && scope.paths == [FakeKeychain.path])
            }
        }
    }

    @Test func dataAndAccessFollowTheRecord() {
        #expect(
            run("-d", "a").text == PasswordVerbTests.genericRecord + "data:\n\"s3cret\"\n"
                + PasswordVerbTests.internetRecord + "data:\n0x61FF0A  \"a\\377\\012\"\n")
        let run = run("-a", "a")
        #expect(
            run.text == PasswordVerbTests.genericRecord + Self.access + PasswordVerbTests.internetRecord + Self.access)
        // Each program is inspected once.
        #expect(keychain.all.count { if case .trusted = $0 { true } else { false } } == 2)
        #expect(self.run("-r", "a").text == PasswordVerbTests.genericRecord + PasswordVerbTests.internetRecord)
    }

    @Test func otherEntriesAreShown() {
        let prompt = ACLPrompt("two\nlines", .requirePassphrase)
        let digest = ExecutableDigest([UInt8](repeating: 0xAB, count: ExecutableDigest.byteCount))
        let listed = digest.map { TrustedApplication(.digest($0), .file, at: "/opt/changed") }
        keychain.access.withLock {
            $0 = AccessObject(
                owner: ACLEntry([.changeACL], .any),
                entries: [
                    ACLEntry([ACLAuthorization(rawValue: 4711)], .custom([1])),
                    ACLEntry([.any], .applications(listed.map { [$0] } ?? [], prompt)),
                ])
        }
        let text = run("-a", "a").text
        #expect(text.contains("authorizations (1): tag=4711\n"))
        #expect(text.contains("        require-password\n        description: two\\nlines\n"))
        #expect(text.contains("            0: /opt/changed (status -2147415734)\n"))
        #expect(text.contains("                requirement: cdhash H\"\(String(repeating: "ab", count: 32))\"\n"))
    }

    @Test func aFileIsForTheUserAlone() throws {
        let folder = try TemporaryFolder()
        let run = run("-d", "-o", folder("dump"), "a")
        #expect(run.text.isEmpty && run.exitStatus == 0)
        let file = try FileManager.default.attributesOfItem(atPath: folder("dump"))
        #expect(file[.posixPermissions] as? Int == 0o600)
        #expect(String(decoding: TemporaryFolder.read(folder("dump")), as: UTF8.self).contains("\"s3cret\""))
        #expect(self.run("-o", folder("none/dump"), "a").exitStatus == 1)
        // Others could read the former file.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder("dump"))
        #expect(self.run("-o", folder("dump"), "a").exitStatus == 0)
        let again = try FileManager.default.attributesOfItem(atPath: folder("dump"))
        #expect(again[.posixPermissions] as? Int == 0o600)
        #expect(!String(decoding: TemporaryFolder.read(folder("dump")), as: UTF8.self).contains("s3cret"))
    }

    /// A certificate has no access object.
    @Test func whatHasNoAccessObjectIsNamedSo() {
        keychain.keychainItems.withLock { _ = $0.removeLast() }
        keychain.accessRefusal.withLock { $0 = KeychainError(.noAccessForItem, "") }
        for option in ["-a", "-i"] {
            let run = run(option, "a")
            #expect(run.text == PasswordVerbTests.genericRecord + "no access control for this item\n")
            #expect(run.exitStatus == 0 && run.errors.isEmpty)
        }
        keychain.accessRefusal.withLock { $0 = KeychainError(.interactionNotAllowed, "") }
        #expect(run("-a", "a").exitStatus == 1)
    }

    /// What was read before a search failed is shown.
    @Test func aClassThatFailsTakesNoOtherAlong() {
        keychain.unreadable.withLock { $0 = .internetPassword }
        let run = run("-d", "a")
        #expect(run.exitStatus == 1 && run.text == PasswordVerbTests.genericRecord + "data:\n\"s3cret\"\n")
    }

    @Test func whatCannotBeShownIs1() {
        let missing = run("b")
        #expect(missing.exitStatus == 1 && missing.errors.hasPrefix("security: SecKeychainSearchCopyNext: "))
        #expect(run().exitStatus == 0, "the search list may name what is not there")
        keychain.refusal.withLock { $0 = KeychainError(.interactionNotAllowed, "nobody can be asked") }
        let refused = run("-d", "a")
        #expect(refused.exitStatus == 1)
        #expect(refused.text == PasswordVerbTests.genericRecord + PasswordVerbTests.internetRecord)
        #expect(refused.errors.hasPrefix("security: SecKeychainItemCopyContent: "))
        keychain.keychainItems.withLock { $0 = [] }
        let empty = run("a")
        #expect(empty.exitStatus == 0 && empty.text.isEmpty && empty.errors.isEmpty)
    }

    @Test func entriesAreTakenAwayByAPerson() throws {
        let terminal = try #require(PseudoTerminal())
        let (name, keychain) = (terminal.name, keychain)
        keychain.keychainItems.withLock { _ = $0.removeLast() }
        let run = Background { ToolRun(["dump-keychain", "-i", "a"], keychain: keychain, terminal: name) }
        #expect(terminal.wait(for: "Remove entry 0? [y/N] "))
        terminal.type("n\n")
        #expect(terminal.wait(for: "Remove entry 1? [y/N] "))
        terminal.type("y\n")
        #expect(run.wait(milliseconds: -1)?.exitStatus == 0)
        let changes = keychain.all.filter { if case .setAccess = $0 { true } else { false } }
        guard case .setAccess(let access, _, nil)? = changes.first else { return #expect(Bool(false)) }
        #expect(changes.count == 1 && access.entries.count == 2 && access.partitionList != nil)
        // Without a terminal, nothing is removed.
        let asked = keychain.all.count
        #expect(self.run("-i", "a").exitStatus == 0)
        #expect(!keychain.all.dropFirst(asked).contains { if case .setAccess = $0 { true } else { false } })
    }
}
