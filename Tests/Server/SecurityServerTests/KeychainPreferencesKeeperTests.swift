import CallerIdentity
import ChatelaineModel
import ChatelaineSystem
import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import SecurityServer

/// The keeper reads and writes the user's keychain preferences whatever happens to their file, beside the machine's.
@Suite struct KeychainPreferencesKeeperTests {
    private let household: PreferencesHousehold
    private var path: String { household.path }

    init() throws { household = try PreferencesHousehold() }

    @Test func whatIsSetStays() throws {
        let keeper = household.keeper()
        #expect(throws: KeychainError(.noDefaultKeychain, "")) { try keeper.defaultKeychain(of: .user) }
        #expect(try household.list(keeper) == ["/machine/System.keychain-db"])
        try keeper.setSearchList(["login.keychain", "/tmp/x"], of: .user)
        try keeper.setDefaultKeychain("login.keychain", of: .user)
        try keeper.setLoginKeychain("login.keychain", of: .user)
        let later = household.keeper()
        #expect(try household.list(later) == ["/k/login.keychain-db", "/tmp/x", "/machine/System.keychain-db"])
        #expect(try later.defaultKeychain(of: .user).text == "/k/login.keychain-db")
        #expect(try later.loginKeychain(of: .user)?.text == "/k/login.keychain-db")
        try later.setDefaultKeychain(nil, of: .user)
        #expect(throws: KeychainError(.noDefaultKeychain, "")) { try keeper.defaultKeychain(of: .user) }
        #expect(TemporaryFolder.names(in: household.folder.path) == ["keychain-preferences"])
        #expect(TemporaryFolder.mode(path) == 0o600)
    }

    @Test func whatDiffersIsToldOnceAndNothingElse() throws {
        let keeper = household.keeper()
        try keeper.setSearchList(["a"], of: .user)
        #expect(household.takeChanges() == [.searchList(.user)])
        try keeper.setSearchList(["a-db", "/k/a"], of: .user)
        try keeper.add("a")
        try keeper.remove("unknown")
        #expect(household.takeChanges().isEmpty)
        try keeper.setDefaultKeychain("a", of: .user)
        try keeper.setDefaultKeychain("/k/a-db", of: .user)
        #expect(household.takeChanges() == [.defaultKeychain(.user)])
        try keeper.add("b")
        #expect(household.takeChanges() == [.searchList(.user)])
        try keeper.remove("a")
        #expect(household.takeChanges() == [.searchList(.user), .defaultKeychain(.user)])
        #expect(throws: KeychainError(.param, "")) { try keeper.setSearchList(["b", ""], of: .user) }
        #expect(try household.list(keeper).first == "/k/b-db" && household.takeChanges().isEmpty)
    }

    /// A user may put a backup in the file's place.
    @Test func aFileThatChangedIsNoticedAndTold() throws {
        let keeper = household.keeper()
        try keeper.setSearchList(["a"], of: .user)
        let saved = TemporaryFolder.read(path)
        try keeper.setSearchList(["b"], of: .user)
        _ = household.takeChanges()
        TemporaryFolder.write(path + "-", saved)
        try #require(rename(path + "-", path) == 0)
        #expect(try household.list(keeper).first == "/k/a-db")
        #expect(household.takeChanges() == [.searchList(.user)])
        try #require(unlink(path) == 0)
        try keeper.add("c")
        #expect(try household.list(keeper) == ["/k/c-db", "/machine/System.keychain-db"])
    }

    @Test func aDamagedFileIsToldAndKeptAside() throws {
        let keeper = household.keeper()
        try keeper.setSearchList(["a", "b"], of: .user)
        let whole = TemporaryFolder.read(path)
        for length in 0..<whole.count {
            TemporaryFolder.write(path, Array(whole[..<length]))
            #expect(household.cause { _ = try keeper.searchList(of: .user) } == .damage)
        }
        let torn = Array(whole[..<7])
        TemporaryFolder.write(path, torn)
        // A change that depends on the damaged content does not start with an empty one.
        #expect(household.cause { try keeper.add("c") } == .damage)
        #expect(household.cause { try keeper.remove("a") } == .damage)
        #expect(household.cause { try keeper.setLoginKeychain("c", of: .user) } == .damage)
        #expect(household.cause { try keeper.setSearchList([""], of: .user) } == .request)
        #expect(TemporaryFolder.read(path) == torn)
        try keeper.setDefaultKeychain("d", of: .user)
        #expect(try household.list(keeper) == ["/machine/System.keychain-db"])
        #expect(try keeper.defaultKeychain(of: .user).text == "/k/d-db")
        #expect(TemporaryFolder.read(path + ".damaged") == torn)
        #expect(household.log.contains("begins anew"))
    }

    /// Damage to the user's file does not affect the other domains.
    @Test func aDamagedFileOfTheUsersLeavesTheMachinesAlone() throws {
        TemporaryFolder.write(path, [0xFF])
        let keeper = household.keeper()
        #expect(try keeper.defaultKeychain(of: .system).text == "/machine/System.keychain-db")
        #expect(try keeper.searchList(of: .common).count == 1 && keeper.searchList(of: .dynamic).isEmpty)
        #expect(throws: KeychainError(.invalidPrefsDomain, "")) { try keeper.defaultKeychain(of: .dynamic) }
        #expect(household.cause { _ = try keeper.searchList(of: .user) } == .damage)
        #expect(household.takeChanges().isEmpty)
    }

    @Test func aDamagedFileStaysWhereItCannotBeKeptAside() throws {
        let torn: [UInt8] = [0xA2, 0, 1]
        TemporaryFolder.write(path, torn)
        var files = FileCalls.system
        files.write = { _, _ throws(Errno) in throw .noSpace }
        let keeper = household.keeper(files)
        #expect(household.cause { try keeper.setSearchList(["a"], of: .user) } == .full)
        #expect(household.cause { _ = try keeper.searchList(of: .user) } == .damage)
        #expect(TemporaryFolder.read(path) == torn)
        #expect(TemporaryFolder.names(in: household.folder.path) == ["keychain-preferences"])
    }

    @Test func aLaterVersionStays() throws {
        let later: [UInt8] = [0xA2, 0, 2, 9, 0]
        TemporaryFolder.write(path, later)
        let keeper = household.keeper()
        #expect(household.cause { _ = try keeper.searchList(of: .user) } == .newerFormat)
        #expect(household.cause { try keeper.setSearchList(["a"], of: .user) } == .newerFormat)
        #expect(TemporaryFolder.read(path) == later)
    }

    /// A later read finds the old or the new list, and never a third one.
    @Test func whateverFailsWhileWritingLeavesTheOldOrTheNew() throws {
        let failures: [(String, (inout FileCalls, Errno) -> Void)] = [
            ("write", { files, error in files.write = { _, _ throws(Errno) in throw error } }),
            ("fsync", { files, error in files.fsync = { _ throws(Errno) in throw error } }),
            ("rename", { files, error in files.renameat = { _, _, _ throws(Errno) in throw error } }),
            ("unlink", { files, error in files.unlinkat = { _, _ throws(Errno) in throw error } }),
            (
                "folder",
                { files, error in
                    let real = files.fsync
                    let calls = Counter()
                    files.fsync = { file throws(Errno) in
                        if calls.next() == 2 { throw error }
                        try real(file)
                    }
                }
            ),
        ]
        for error in [Errno(ENOSPC), Errno(EIO), Errno(EROFS), Errno(EDQUOT)] {
            for (name, fail) in failures {
                let before = ["/k/old-db", "/machine/System.keychain-db"]
                try household.keeper().setSearchList(["old"], of: .user)
                var files = FileCalls.system
                fail(&files, error)
                let keeper = household.keeper(files)
                let cause = household.cause { try keeper.setSearchList(["new"], of: .user) }
                #expect(cause == SystemFailure(error.code).cause, "\(name)")
                let after = try household.list(keeper)
                #expect(after == (name == "folder" ? ["/k/new-db", "/machine/System.keychain-db"] : before), "\(name)")
                #expect(try household.list(household.keeper()) == after)
                try household.keeper().setSearchList(["again"], of: .user)
                #expect(try household.list(keeper).first == "/k/again-db")
            }
        }
    }

    @Test func aFileThatCannotBeReadIsAnErrorAndNoEmptyList() throws {
        try household.keeper().setSearchList(["a"], of: .user)
        for (error, cause) in [(EIO, KeychainError.Cause.disk), (EACCES, .unavailable), (EMFILE, .unavailable)] {
            var files = FileCalls.system
            files.pread = { _, _, _ throws(Errno) in throw Errno(error) }
            let keeper = household.keeper(files)
            #expect(household.cause { _ = try keeper.searchList(of: .user) } == cause)
            #expect(household.cause { try keeper.setSearchList(["b"], of: .user) } == cause)
        }
        #expect(try household.list(household.keeper()).first == "/k/a-db")
    }

    @Test(arguments: ["link", "pipe", "folder", "socket", "group", "others"])
    func whatIsNoFileOfTheUsersDoesNotCount(_ kind: String) throws {
        let real = household.folder("real")
        try household.keeper().setSearchList(["a"], of: .user)
        try #require(rename(path, real) == 0)
        switch kind {
        case "link": try #require(symlink(real, path) == 0)
        case "pipe": try #require(mkfifo(path, 0o600) == 0)
        case "folder": try #require(mkdir(path, 0o700) == 0)
        case "socket": try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
        default:
            try #require(rename(real, path) == 0)
            try #require(chmod(path, kind == "group" ? 0o620 : 0o602) == 0)
        }
        let keeper = household.keeper()
        #expect(household.cause { _ = try keeper.searchList(of: .user) } == .unavailable)
        #expect(household.cause { try keeper.setSearchList(["b"], of: .user) } == .unavailable)
        #expect(household.cause { try keeper.add("b") } == .unavailable)
        do { _ = try keeper.searchList(of: .user) } catch { #expect(error.reason.contains("does not count")) }
    }

    @Test func aFileOfAnotherUserDoesNotCount() throws {
        try household.keeper().setSearchList(["a"], of: .user)
        let keeper = household.keeper(owner: geteuid() + 1)
        #expect(household.cause { _ = try keeper.searchList(of: .user) } == .unavailable)
        #expect(household.cause { try keeper.setSearchList(["b"], of: .user) } == .unavailable)
    }

    @Test func aThousandKeychainsAreKept() throws {
        let names = (0..<KeychainPreferences.maximumKeychains).map { "/\($0)/" + String(repeating: "x", count: 4000) }
        try household.keeper().setSearchList(names, of: .user)
        let keeper = household.keeper()
        #expect(try household.list(keeper) == names + ["/machine/System.keychain-db"])
        #expect(throws: KeychainError(.dataTooLarge, "")) { try keeper.add("one more") }
    }

    @Test func noChangeIsLostToAnother() throws {
        let keeper = household.keeper()
        DispatchQueue.concurrentPerform(iterations: 48) { number in
            do throws(KeychainError) {
                try keeper.add("new \(number)")
                if number.isMultiple(of: 4) { try keeper.remove("new \(number)") }
                _ = try keeper.searchList(of: .user)
            } catch { Issue.record(error) }
        }
        let expected = (0..<48).filter { !$0.isMultiple(of: 4) }.map { "/k/new \($0)-db" }
        #expect(try Set(household.list(keeper)) == Set(expected + ["/machine/System.keychain-db"]))
        #expect(try household.list(household.keeper()) == household.list(keeper))
    }

    // MARK: The machine's

    @Test func theDomainsOfTheMachineAreRootsToChange() throws {
        let keeper = household.keeper()
        for domain in [PreferenceDomain.system, .common] {
            #expect(throws: KeychainError(.readOnly, "")) { try keeper.setSearchList(["a"], of: domain) }
            #expect(throws: KeychainError(.readOnly, "")) { try keeper.setDefaultKeychain(nil, of: domain) }
        }
        #expect(throws: KeychainError(.invalidPrefsDomain, "")) { try keeper.setSearchList([], of: .dynamic) }
        #expect(throws: KeychainError(.invalidPrefsDomain, "")) { try keeper.setDefaultKeychain(nil, of: .dynamic) }
        #expect(throws: KeychainError(.invalidPrefsDomain, "")) { try keeper.defaultKeychain(of: .dynamic) }
        #expect(try keeper.searchList(of: .dynamic).isEmpty)
        #expect(TemporaryFolder.names(in: household.folder.path) == [])
    }

    @Test func theMachinesFileCountsAsLongAsItIsRight() throws {
        let keeper = household.keeper()
        try keeper.setSearchList(["a"], of: .user)
        var machine = KeychainPreferences()
        try machine.setSearchList(["Own.keychain"], of: .common, in: household.folders)
        try machine.setDefaultKeychain("/opt/x", of: .system, in: household.folders)
        _ = household.takeChanges()
        household.machine.withLock { $0 = .content(machine.encoded(.machines)) }
        #expect(try household.list(keeper) == ["/k/a-db", "/machine/Own.keychain-db"])
        #expect(household.takeChanges() == [.searchList(.user), .defaultKeychain(.system), .searchList(.common)])
        #expect(try keeper.defaultKeychain(of: .system).text == "/opt/x" && keeper.machineProblem == nil)
        let wrong: [(RootFile, KeychainError.Cause)] = [
            (.content([0xA1]), .damage), (.content([0xA1, 0, 2]), .newerFormat), (.unusable("others"), .unavailable),
        ]
        for (file, cause) in wrong {
            household.machine.withLock { $0 = file }
            #expect(try household.list(keeper) == ["/k/a-db", "/machine/System.keychain-db"])
            #expect(household.cause { _ = try keeper.searchList(of: .common) } == cause)
            #expect(household.cause { _ = try keeper.defaultKeychain(of: .system) } == cause)
            #expect(keeper.machineProblem != nil)
        }
        #expect(household.log.split(separator: "\n").count == 3)
    }

    @Test(.enabled(if: geteuid() == 0, "needs root: makes files that are root's alone"))
    func theMachinesFileIsRootsAlone() throws {
        let folder = try TemporaryFolder(in: "/var/lib", mode: 0o755)
        let path = folder("keychain-preferences")
        var machine = KeychainPreferences()
        try machine.setSearchList([], of: .common, in: household.folders)
        let keeper = household.keeper(
            machine: MachinePreferences(read: { RootFile(at: path, limit: KeychainPreferences.maximumBytes) }))
        #expect(try household.list(keeper) == ["/machine/System.keychain-db"] && keeper.machineProblem == nil)
        TemporaryFolder.write(path, machine.encoded(.machines))
        #expect(try household.list(keeper).isEmpty && keeper.machineProblem == nil)
        try #require(chmod(path, 0o602) == 0)
        #expect(try household.list(keeper) == ["/machine/System.keychain-db"])
        #expect(keeper.machineProblem?.contains("others than root") == true)
        try #require(chmod(path, 0o600) == 0)
        #expect(try household.list(keeper).isEmpty && keeper.machineProblem == nil)
        try #require(chown(path, 1, 1) == 0)
        #expect(keeper.machineProblem != nil)
        try #require(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        #expect(keeper.machineProblem != nil)
        try #require(unlink(path) == 0 && symlink(household.path, path) == 0)
        #expect(keeper.machineProblem != nil)
    }

    @Test(.enabled(if: geteuid() == 0, "needs root: makes files that are root's alone"))
    func rootSetsTheMachinesDomains() throws {
        let folder = try TemporaryFolder(in: "/var/lib", mode: 0o755)
        let machine = MachineKeychains(folder.path, makesBase: true)
        _ = machine.makeFolders()
        let roots = household.keeper(machine: MachinePreferences(machine))
        let others = household.keeper(machine: MachinePreferences(MachineKeychains(folder.path, isServed: false)))
        try roots.setSearched(["Own.keychain", "/opt/x"], of: .common)
        try roots.setDefaultKeychain("/opt/x", of: .system)
        let path = machine.folder + "/keychain-preferences"
        #expect(TemporaryFolder.mode(path) == 0o644)
        #expect(try household.list(others) == ["/machine/Own.keychain-db", "/opt/x"])
        #expect(try others.defaultKeychain(of: .system).text == "/opt/x")
        #expect(throws: KeychainError(.readOnly, "")) { try others.setDefaultKeychain(nil, of: .system) }
        // Another daemon of root's has to wait for this one.
        let second = household.keeper(machine: MachinePreferences(MachineKeychains(folder.path, makesBase: true)))
        #expect(throws: KeychainError(.notAvailable, "")) { try second.setDefaultKeychain(nil, of: .system) }
        // One with another home than root's only reads.
        let apart = household.keeper(machine: MachinePreferences(MachineKeychains(folder.path)))
        #expect(throws: KeychainError(.readOnly, "")) { try apart.setDefaultKeychain(nil, of: .system) }
        #expect(try others.defaultKeychain(of: .system).text == "/opt/x")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root: makes files that are root's alone"))
    func aDamagedFileOfTheMachinesBeginsAnew() throws {
        let folder = try TemporaryFolder(in: "/var/lib", mode: 0o755)
        let machine = MachineKeychains(folder.path, makesBase: true)
        _ = machine.makeFolders()
        let keeper = household.keeper(machine: MachinePreferences(machine))
        try keeper.setSearchList(["mine"], of: .user)
        try keeper.setSearchList(["a"], of: .common)
        let path = machine.folder + "/keychain-preferences"
        TemporaryFolder.write(path, [0xA1])
        #expect(household.cause { try keeper.setLoginKeychain("a", of: .system) } == .damage)
        #expect(household.cause { try keeper.setSearchList([""], of: .common) } == .request)
        #expect(TemporaryFolder.read(path) == [0xA1])
        try keeper.setSearchList(["b"], of: .common)
        #expect(try household.list(keeper) == ["/k/mine-db", "/machine/b-db"])
        #expect(TemporaryFolder.read(path + ".damaged") == [0xA1])
        try #require(chmod(path, 0o666) == 0)
        #expect(household.cause { try keeper.setSearchList(["c"], of: .common) } == .unavailable)
    }
}
