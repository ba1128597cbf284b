import ChatelaineIPC
import ChatelaineModel
import Testing

@testable import SecurityTool

/// Tests of how verbs report trouble with file keychains.
struct KeychainTroubleVerbTests {
    private let keychain = FakeKeychain()

    private func run(_ words: String...) -> ToolRun { ToolRun(words, keychain: keychain) }

    @Test(arguments: [
        ["unlock-keychain", "-p", "right", "a"], ["unlock-keychain", "-p", "wrong", "a"],
        ["unlock-keychain", "-u", "a"],
        ["show-keychain-info", "a"], ["acl", "list", "a"], ["item", "show", "-a", "anna", "--keychain", "a"],
        ["item", "show", "-a", "anna", "--json"],
    ])
    func aCopyOfAnOpenKeychainIsToldOfOnStandardError(words: [String]) {
        let before = ToolRun(words, keychain: keychain)
        keychain.keychainState.withLock { $0.mayLackChanges = true }
        let after = ToolRun(words, keychain: keychain)
        #expect(after.output == before.output && after.exitStatus == before.exitStatus)
        let line = """
            security: changes may be missing from \(FakeKeychain.path), which was damaged, put back, or copied while it \
            was open; see: security check \(FakeKeychain.path)

            """
        #expect(after.errors.contains(line) && after.errors.replacing(line, with: "") == before.errors)
    }

    /// An item that is missing is just what the copy lacks.
    @Test func aCopyWithoutTheItemIsToldOfAsWell() {
        keychain.keychainState.withLock { $0.mayLackChanges = true }
        let run = run("item", "show", "-a", "nobody", "--keychain", "a")
        #expect(run.exitStatus == 44 && run.errors.contains("changes may be missing from \(FakeKeychain.path)"))
    }

    @Test func aKeychainIsCheckedByItsPath() {
        let run = run("check", "a")
        #expect(run.exitStatus == 1)
        #expect(keychain.checked.withLock { Set($0) } == [FakeKeychain.path])
        guard case .losses(.show(FakeKeychain.path))? = keychain.last else {
            Issue.record("something else was asked for: \(String(describing: keychain.last))")
            return
        }
        #expect(run.text.contains("\u{201C}security check --acknowledge a\u{201D} ends this message"))
        #expect(self.run("check", "--acknowledge", "./a").exitStatus == 0)
        guard case .losses(.acknowledge(let path?))? = keychain.last else {
            Issue.record("nothing was acknowledged")
            return
        }
        #expect(path.hasPrefix("/") && path.hasSuffix("/a"))
        #expect(run.text.contains("  anna (unverified)  secret"))
        #expect(self.run("check", "--json", "a").text.contains(#""account":"anna","verified":false,"reason":"secret""#))
        #expect(!self.run("check").text.contains("unverified"))
        #expect(self.run("check", "").exitStatus != 0)
    }

    @Test func snapshotsOfAKeychainAreOfItsPath() {
        func asked(_ words: String...) -> SnapshotCommand? {
            #expect(ToolRun(words, keychain: keychain).exitStatus == 0, "\(words)")
            guard case .snapshots(let command)? = keychain.last else { return nil }
            return command
        }
        let (path, name) = (FakeKeychain.path, "20261121T083000Z-1")
        #expect(asked("snapshot", "list", "--keychain", "a") == .list(keychain: path))
        #expect(asked("snapshot", "create", "--keychain", "a", "--json") == .take(keychain: path))
        #expect(asked("snapshot", "purge", name, "--keychain", "a") == .delete(name: name, keychain: path))
        #expect(asked("snapshot", "purge", "--keep", "1", "--keychain", "a") == .deleteAll(kept: 1, keychain: path))
        #expect(asked("snapshot", "list") == .list())
        #expect(asked("snapshot", "restore", name, "--keychain", "a") == .restore(name: name, keychain: path))
        #expect(asked("snapshot", "restore", name) == .restore(name: name))
    }

    /// What is deleted is gone, whatever becomes of the next one.
    @Test func aSnapshotThatIsDeletedIsShown() {
        let run = ToolRun(["snapshot", "purge", "20261121T083000Z-1", "none"], keychain: keychain)
        #expect(run.exitStatus == 44 && run.text.contains("20261121T083000Z-1"))
    }
}
