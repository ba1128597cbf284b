import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests that create, unlock, lock and delete file keychains through the real daemons.
@Suite struct FileKeychainTests {
    private let household: Household

    init() throws { household = try Household() }

    private func status(_ body: () throws -> Void) -> Status? {
        do { try body() } catch { return (error as? KeychainError)?.status }
        return nil
    }

    private func mode(_ path: String) -> (links: UInt, mode: UInt32)? {
        var status = stat()
        return lstat(path, &status) == 0 ? (UInt(status.st_nlink), status.st_mode & 0o777) : nil
    }

    @Test func aKeychainIsMadeLockedUnlockedAndDeleted() throws {
        let file = "\(household.keychains)/ci.keychain-db"
        #expect(status { _ = try household.bits("ci.keychain") } == .noSuchKeychain)
        #expect(try household.create("ci.keychain") == .done)
        #expect(try household.bits("~/Library/Keychains/ci.keychain") == 7)
        #expect(mode(file)?.links == 2 && mode(file)?.mode == 0o600)
        #expect(mode(household.keychains)?.mode == 0o700)
        #expect(status { try household.create("ci.keychain", "other") } == .duplicateKeychain)

        try household.lock("ci.keychain")
        #expect(try household.bits("ci.keychain") == 6)
        // No other file lies beside the keychain, and our folder of open keychains is empty.
        #expect(household.names(in: "data/keychains") == ["ci.keychain-db"])
        #expect(household.checkedOut == [])
        #expect(mode(file)?.links == 1)
        try household.lock("ci.keychain")

        #expect(try household.unlock("ci.keychain", "wrong") == .wrong)
        #expect(try household.bits("ci.keychain") == 6)
        #expect(try household.unlock("ci.keychain") == .done)
        #expect(try household.unlock("ci.keychain", "wrong") == .done, "it is unlocked already")
        #expect(try household.change("ci.keychain", "wrong", "new") == .wrong)
        #expect(try household.change("ci.keychain", "right", "new") == .done)
        try household.lock("ci.keychain")
        #expect(try household.unlock("ci.keychain") == .wrong)
        #expect(try household.change("ci.keychain", "new", "newer") == .done, "locked as well")
        #expect(try household.bits("ci.keychain") == 7)

        try household.delete("ci.keychain")
        #expect(household.names(in: "data/keychains") == [] && household.names(in: "data/file-keychains") == [])
        #expect(household.names(in: "state/file-keychains") == [])
        #expect(status { try household.delete("ci.keychain") } == .noSuchKeychain)
        #expect(status { _ = try household.unlock("ci.keychain") } == .noSuchKeychain)
    }

    /// The daemon holds the lock state: all programs see it, and any program may change it.
    @Test func programsShareIt() throws {
        let one = try household.probe("one")
        let other = try household.probe("other")
        func ask(_ probe: ProbeProcess, _ call: String, _ passwords: [String] = []) throws -> ProbeAnswer {
            try probe.ask(["call": "keychain-\(call)", "path": "shared", "passcodes": passwords])
        }
        #expect(try ask(one, "create", ["right"]).status == 0)
        #expect(try ask(other, "create", ["right"]).status == -25296)
        #expect(try ask(other, "state").result as? Int == 7)
        #expect(try ask(other, "lock").status == 0)
        #expect(try ask(one, "state").result as? Int == 6)
        for _ in 0..<5 { #expect(try ask(one, "unlock", ["wrong"]).result as? Int == 2) }
        #expect(try ask(one, "unlock", ["right"]).result as? Int == 3, "it waits for its wrong ones")
        #expect(try ask(other, "unlock", ["right"]).result as? Int == 1)
        #expect(try ask(one, "state").result as? Int == 7)
    }

    @Test func aProgramThatNobodyKnowsIsRefused() throws {
        try household.create("a")
        let probe = try household.probe("gone")
        #expect(try probe.call("pid").status == 0)
        try #require(unlink("\(household.home)/gone") == 0)
        for call in ["state", "lock", "unlock", "create"] {
            let command = ["call": "keychain-\(call)", "path": "a", "passcodes": ["right"]] as [String: Any]
            #expect(try probe.ask(command).status == -34018, "\(call)")
        }
        #expect(try household.bits("a") == 7)
    }

    @Test func passwordsOfAnyLength() throws {
        let longest = String(repeating: "k", count: Limits.keychainPasswordBytes)
        for (name, password) in [("empty", ""), ("longest", longest), ("bytes", "a\0\u{1}b")] {
            #expect(try household.create(name, password) == .done)
            try household.lock(name)
            #expect(try household.unlock(name, "x") == .wrong)
            #expect(try household.unlock(name, password) == .done)
            #expect(try household.bits(name) == 7)
        }
        #expect(status { try household.create("longer", longest + "k") } == .param)
        #expect(status { _ = try household.bits("longer") } == .noSuchKeychain)
        #expect(try household.change("longest", longest, "") == .done)
    }

    @Test func namesAndPathsAreResolvedByTheClient() throws {
        // These requests come from a client that resolves no names.
        for path in ["x", "", "\(household.keychains)/x", "\(household.keychains)/../keychains/x-db"] {
            let error = #expect(throws: KeychainError.self) {
                try household.client.call(KeychainPasswordCommand.create(path: path), [SecretBytes([1])])
            }
            #expect(error?.status == .param, "\(path)")
        }
    }

    /// A call leaves a file that is no keychain unchanged.
    @Test func whatIsNoKeychain() throws {
        try household.create("real")
        try household.lock("real")
        let folder = household.keychains
        try #require(mkfifo("\(folder)/pipe-db", 0o600) == 0)
        try #require(symlink("\(folder)/real-db", "\(folder)/link-db") == 0)
        try #require(symlink("/nowhere", "\(folder)/dangling-db") == 0)
        try #require(mkdir("\(folder)/folder-db", 0o700) == 0)
        try Data().write(to: URL(fileURLWithPath: "\(folder)/nothing-db"))
        try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: "\(folder)/noise-db"))
        var names = ["pipe", "link", "dangling", "folder", "nothing", "noise"]
        if Privilege.isThere() {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(folder)/foreign-db"))
            try #require(lchown("\(folder)/foreign-db", Privilege.user(1), Privilege.user(1)) == 0)
            names.append("foreign")
        }
        let before = household.names(in: "data/keychains")
        for name in names {
            #expect(status { _ = try household.bits(name) } == .invalidKeychain, "\(name)")
            #expect(status { _ = try household.unlock(name) } == .invalidKeychain, "\(name)")
            #expect(status { _ = try household.change(name, "right", "x") } == .invalidKeychain, "\(name)")
            #expect(status { try household.create(name) } == .duplicateKeychain, "\(name)")
        }
        for name in names where !["nothing", "noise"].contains(name) {
            #expect(status { try household.delete(name) } == .invalidKeychain, "\(name)")
        }
        #expect(household.names(in: "data/keychains") == before)
        #expect(household.checkedOut == [])
        // A damaged keychain can be deleted.
        try household.delete("noise")
        #expect(try household.unlock("real") == .done)
    }

    /// After a kill, an open keychain is locked, and its password opens it with all that was written.
    @Test func killedWhileItIsOpen() throws {
        try household.create("a")
        try household.killCustodian()
        #expect(try household.bits("a") == 6)
        #expect(household.checkedOut == [])
        #expect(try household.unlock("a") == .done)
        // The unlock works whether or not securityd has already noticed the end of the custodian.
        try household.killCustodian()
        #expect(try household.unlock("a", "wrong") == .wrong)
        #expect(try household.unlock("a") == .done)
        for _ in 0..<3 {
            household.dismiss()
            #expect(mode("\(household.keychains)/a-db")?.links == 2)
            #expect(try household.bits("a") == 6)
            #expect(try household.unlock("a", "wrong") == .wrong)
            #expect(try household.unlock("a") == .done)
        }
        #expect(try household.change("a", "right", "new") == .done)
        household.dismiss()
        #expect(try household.unlock("a", "right") == .wrong)
        #expect(try household.unlock("a", "new") == .done)
        try household.lock("a")
        #expect(mode("\(household.keychains)/a-db")?.links == 1)
    }

    /// securityd leaves complete files behind when it is told to end.
    @Test func anOrderlyEndLocks() throws {
        for name in ["a", "b"] { try household.create(name) }
        let pid = try #require(household.daemonPID)
        DaemonProcess.end(pid, signal: SIGTERM)
        #expect(household.checkedOut == [])
        for name in ["a", "b"] {
            #expect(mode("\(household.keychains)/\(name)-db")?.links == 1)
            #expect(try household.bits(name) == 6)
        }
    }

    /// The end of a user's last session removes the runtime folder.
    ///
    /// securityd gets no more requests, and ends.
    @Test func theEndOfTheLastSessionLocks() throws {
        for name in ["a", "b"] { try household.create(name) }
        #expect(try household.bits("a") == 7 && mode("\(household.keychains)/a-db")?.links == 2)
        try FileManager.default.removeItem(atPath: "\(household.home)/run")
        try until("they lock") { ["a", "b"].allSatisfy { mode("\(household.keychains)/\($0)-db")?.links == 1 } }
        for name in ["a", "b"] { #expect(try household.bits(name) == 6) }
        #expect(household.checkedOut == [])
    }

    @Test func settingsStayWithTheKeychain() throws {
        try household.create("a")
        #expect(try household.settings("a") == KeychainSettings())
        try household.set("a", interval: 21_600, sleep: false)
        household.dismiss()
        #expect(status { _ = try household.settings("a") } == .interactionNotAllowed)
        #expect(status { try household.set("a", interval: 5) } == .interactionNotAllowed)
        #expect(try household.unlock("a") == .done)
        #expect(try household.settings("a").lockInterval == 21_600)
        #expect(try !household.settings("a").locksOnSleep)
        #expect(status { _ = try household.settings("b") } == .noSuchKeychain)
    }

    /// The keychain locks after its interval without any request.
    @Test func itLocksByItself() throws {
        try household.create("a")
        try household.set("a", interval: 1)
        try until("it locks") { mode("\(household.keychains)/a-db")?.links == 1 }
        #expect(try household.bits("a") == 6)
    }

    /// `security lock` locks all keychains, as do the session's lock and the machine's sleep.
    @Test func theDevicesLockIsTheirsToo() throws {
        for name in ["a", "b", "c"] { try household.create(name) }
        _ = try household.client.device(.lock)
        for name in ["a", "b", "c"] { #expect(try household.bits(name) == 6) }
        #expect(try household.unlock("a") == .done)
        #expect(try household.unlock("b") == .done)
        _ = try household.client.call(KeychainCommand.lockAll)
        for name in ["a", "b", "c"] { #expect(try household.bits(name) == 6) }
        #expect(household.checkedOut == [])
    }

    /// Many unlocks at once do not hold up look-ups in the default keychain.
    @Test func manyUnlockWhileLookUpsGoOn() throws {
        let probe = try household.probe()
        #expect(try probe.add("ada", "s3cret") == 0)
        let names = (0..<4).map { "k\($0)" }
        for name in names {
            try household.create(name)
            try household.lock(name)
        }
        let household = household
        let unlocks = Running(64) { index in
            try #require(try household.unlock(names[index % names.count]) == .done)
        }
        for _ in 0..<100 { #expect(try probe.find("ada").data == Data("s3cret".utf8)) }
        try unlocks.join(within: 120)
        for name in names { #expect(try household.bits(name) == 7) }
    }

    /// If an open keychain's file is removed, its content is kept aside, and another keychain can take its name.
    @Test func aRemovedOneIsLeftAlone() throws {
        try household.create("a", "one")
        try #require(unlink("\(household.keychains)/a-db") == 0)
        #expect(status { _ = try household.bits("a") } == .noSuchKeychain)
        try household.lock("a")
        try household.create("a", "two")
        #expect(try household.bits("a") == 7)
        try household.lock("a")
        #expect(try household.unlock("a", "two") == .done)
    }
}
