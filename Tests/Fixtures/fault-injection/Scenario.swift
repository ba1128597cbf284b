import GRDBSQLite
import Glibc
import InProcess
import TestSupport

/// Operations to run while calls fail, and the state before them.
struct Scenario: Sendable {
    let name: String
    /// Makes the state before, without faults, and returns what has to be found then.
    let prepare: @Sendable (_ home: String) throws -> Expectation
    let run: @Sendable (ScenarioRun) -> Void

    struct Unprepared: Error { let problems: [String] }

    static let all: [Scenario] = [
        beginning, changes, snapshots, recovery, salvage, missing, restoration, migration, lostLog,
        resealing, decisions, trust, adoption, keys, fileKeychain, keychainKeys, keychainElsewhere, machineKeychain,
        keychainRestoration, elsewhereRestoration, leftOpenRestoration, machineRestoration,
    ]

    /// An empty home: keys, store and list of programs are made.
    static let beginning = Scenario(name: "beginning", prepare: { _ in Expectation() }) { run in
        run.add("a", "first")
        run.pin("/bin/program", 1)
        run.add("b", "second", label: "label")
        run.update("a", secret: "changed")
        run.delete("b")
        run.find()
    }

    /// Every kind of change, a change of many items, large secrets, and replaced keys.
    static let changes = Scenario(name: "changes", prepare: { try filled($0) }) { run in
        run.add("new", "fresh")
        run.addAgain("new")
        run.update("item 2", secret: String(repeating: "long ", count: 3000))
        run.labelAll("everything")
        run.delete("item 1")
        run.add("shared", "everywhere", isSynchronizable: true)
        run.delete("shared")
        run.add("shared", "again", isSynchronizable: true)
        run.pin("/bin/other", 2)
        run.forgetAnswers()
        run.find()
        run.check()
    }

    static let snapshots = Scenario(name: "snapshots", prepare: { try filled($0) }) { run in
        let first = run.takeSnapshot()
        run.add("new", "fresh")
        _ = run.takeSnapshot()
        if let first { run.deleteSnapshot(first) }
        run.delete("item 3")
    }

    /// A damaged database and a snapshot.
    static let recovery = Scenario(
        name: "recovery",
        prepare: { home in
            let expectation = try filled(home, andThen: { _ = $0.takeSnapshot() })
            try garble(home + "/data/stores/default/items.db")
            return expectation.withDamage()
        },
        run: { run in
            run.find("item 3")
            run.find()
            run.add("new", "fresh")
            run.recover()
            run.update("item 2", secret: "changed")
            run.find()
        })

    /// A database with a garbled first page, and no snapshot: table and indices show that nothing is lost.
    static let salvage = Scenario(
        name: "salvage",
        prepare: { home in
            let expectation = try filled(home)
            try garble(home + "/data/stores/default/items.db", pages: 1)
            return expectation.withDamage()
        },
        run: { run in
            run.find("item 3")
            run.find()
            run.add("new", "fresh")
            run.recover()
            run.delete("item 3")
            run.find()
        })

    /// A missing store, with a snapshot.
    static let missing = Scenario(
        name: "missing",
        prepare: { home in
            var expectation = try filled(home, andThen: { _ = $0.takeSnapshot() })
            TemporaryFolder.remove(home + "/data/stores/default")
            // Without the mark, the daemon cannot know whether the snapshot is complete.
            TemporaryFolder.remove(home + "/state/stores")
            expectation.reports = [true]
            return expectation
        },
        run: { run in
            run.find()
            run.recover()
            run.delete("item 2")
            run.acknowledge()
        })

    static let restoration = Scenario(name: "restoration", prepare: { try filled($0) }) { run in
        let name = run.takeSnapshot()
        run.delete("item 2")
        run.add("new", "fresh")
        if let name { run.restore(name) }
        run.find()
        run.add("later", "still")
    }

    /// A store of the first format, which is migrated through all later formats.
    static let migration = Scenario(
        name: "migration",
        prepare: { home in
            let expectation = try filled(home, isMarked: false)
            TemporaryFolder.remove(home + "/state/stores")
            try FormerStore.make(home + "/data/stores/default/items.db", version: 1)
            return expectation
        },
        run: { run in
            run.find()
            run.add("new", "fresh")
        })

    /// A lost log with the last changes: the mark is ahead of the store.
    static let lostLog = Scenario(
        name: "lost-log",
        prepare: { home in
            var expectation = try filled(home)
            let before = try Tree(reading: home)
            let run = ScenarioRun(home, expectation, isFailing: false)
            run.add("lost", "gone")
            guard run.problems.isEmpty else { throw Unprepared(problems: run.problems) }
            var after = before
            let mark = "state/stores/default.mark"
            after.files[mark] = try Tree(reading: home).files[mark]
            try after.write(to: home)
            expectation.losesChanges = true
            expectation.reports = [true]
            // A torn log may have a sound frame behind a garbled one. With the mark ahead that may be a lost change, so
            // that the store is recovered.
            expectation.setAside = 0...1
            return expectation
        },
        run: { run in
            run.find()
            run.add("new", "fresh")
            run.acknowledge()
        })

    /// Replaced keys, with a snapshot under the former keys and a store that was set aside.
    static let resealing = Scenario(
        name: "resealing",
        prepare: { home in
            var expectation = try filled(
                home,
                andThen: { run in
                    if let name = run.takeSnapshot() { run.restore(name) }
                    run.add("shared", "everywhere", isSynchronizable: true)
                    run.delete("shared")
                    run.replaceKeys()
                })
            expectation.snapshots = []
            expectation.setAside = 0...1
            return expectation
        },
        run: { run in
            run.find()
            run.reseal(steps: 2)
            run.add("new", "fresh")
            run.update("item 2", secret: "changed")
            run.reseal()
            run.delete("item 3")
            run.find()
            run.check()
        })

    /// Decisions that widen access, which take the passcode: the custodian signs each, and then it is written.
    static let decisions = Scenario(
        name: "decisions",
        prepare: { home in
            try filled(
                home,
                andThen: { run in
                    run.setPasscode()
                    run.develop("/srv/first")
                    run.addTeam("ABCDE12345", 1)
                })
        },
        run: { run in
            run.unlock()
            run.develop("/srv/second")
            run.withdraw("/srv/first")
            run.pin("/bin/other", 2)
            run.develop("/srv/third")
            run.addTeam("ZZZZZ99999", 2)
            run.removeTeam("ABCDE12345")
            run.find()
        })

    /// Trust settings: a file that the signed list of programs names.
    static let trust = Scenario(
        name: "trust",
        prepare: { home in
            let run = ScenarioRun(home, Expectation(), isFailing: false)
            run.setPasscode()
            run.setTrust(["first"])
            guard run.problems.isEmpty else { throw Unprepared(problems: run.problems) }
            return run.expectation
        },
        run: { run in
            run.unlock()
            run.setTrust(["first", "second"])
            run.setTrust(["second"])
            run.seeTrust()
            run.setTrust([])
            run.seeTrust()
        })

    /// All items of a program move to another group, and back.
    static let adoption = Scenario(name: "adoption", prepare: { try filled($0) }) { run in
        run.noteAdoption(of: "/bin/program", 1)
        run.adopt()
        run.find()
        run.adopt(isReturn: true)
        run.find()
    }

    /// Key pairs, of which both items exist or neither, and replaced keys of the device.
    static let keys = Scenario(
        name: "keys",
        prepare: { home in
            try filled(
                home,
                andThen: { run in
                    run.makeKeys("old")
                    run.makeKeys("older")
                    run.replaceKeys()
                })
        },
        run: { run in
            run.find()
            run.makeKeys("new")
            run.moveKeys("old", label: "moved")
            run.reseal()
            run.moveKeys("new", label: "moved, too")
            run.deleteKeys("old")
            run.check()
            run.find()
        })

    // MARK: What was there before

    /// - Parameter isMarked: whether the keybag records that the store has a mark, which it did not before format 3.
    private static func filled(
        _ home: String, isMarked: Bool = true, andThen more: (ScenarioRun) -> Void = { _ in }
    ) throws -> Expectation {
        let run = ScenarioRun(home, Expectation(), isFailing: false, isMarked: isMarked)
        for number in 1...6 { run.add("item \(number)", "secret \(number)", label: "label \(number)") }
        run.pin("/bin/program", 1)
        more(run)
        guard run.problems.isEmpty else { throw Unprepared(problems: run.problems) }
        return run.expectation
    }

    /// Overwrites the first pages of a database from byte 100 on, which is after its header.
    private static func garble(_ path: String, pages: Int = 3) throws {
        var content = try Tree.content(of: path, count: Int(sizeOf(path)))
        for offset in 100..<4096 * pages { content[offset] = UInt8(truncatingIfNeeded: offset &* 7) }
        let file = open(path, O_WRONLY)
        defer { close(file) }
        guard pwrite(file, content, content.count, 0) == content.count else { throw Tree.Unreadable(path: path) }
    }

    private static func sizeOf(_ path: String) -> off_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_size : 0
    }
}

extension Expectation {
    fileprivate func withDamage() -> Expectation {
        var copy = self
        copy.setAside = 0...1
        return copy
    }
}
