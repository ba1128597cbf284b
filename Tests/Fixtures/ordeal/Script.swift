import GRDBSQLite
import Glibc
import InProcess
import TestSupport

/// What is done while calls fail, and what was there before.
struct Script: Sendable {
    let name: String
    /// Makes what was there before, with nothing failing; and answers what is to be found then.
    let prepare: @Sendable (_ home: String) throws -> Expectation
    let run: @Sendable (Life) -> Void

    struct Unprepared: Error { let problems: [String] }

    static let all: [Script] = [
        beginning, changes, snapshots, recovery, salvage, missing, restoration, migration, lostLog,
    ]

    /// Nothing is there: keys, store and list of programs are made.
    static let beginning = Script(name: "beginning", prepare: { _ in Expectation() }) { life in
        life.add("a", "first")
        life.pin("/bin/program", 1)
        life.add("b", "second", label: "label")
        life.update("a", secret: "changed")
        life.delete("b")
        life.find()
    }

    /// The days that follow: every kind of change, one of many items, large secrets, keys that are replaced.
    static let changes = Script(name: "changes", prepare: { try filled($0) }) { life in
        life.add("new", "fresh")
        life.addAgain("new")
        life.update("item 2", secret: String(repeating: "long ", count: 3000))
        life.labelAll("everything")
        life.delete("item 1")
        life.add("shared", "everywhere", isSynchronizable: true)
        life.delete("shared")
        life.add("shared", "again", isSynchronizable: true)
        life.pin("/bin/other", 2)
        life.forgetAnswers()
        life.find()
        life.check()
    }

    static let snapshots = Script(name: "snapshots", prepare: { try filled($0) }) { life in
        let first = life.takeSnapshot()
        life.add("new", "fresh")
        _ = life.takeSnapshot()
        if let first { life.deleteSnapshot(first) }
        life.delete("item 3")
    }

    /// A damaged database and a snapshot.
    static let recovery = Script(
        name: "recovery",
        prepare: { home in
            let expectation = try filled(home, andThen: { _ = $0.takeSnapshot() })
            try garble(home + "/data/stores/default/items.db")
            return expectation.withDamage()
        },
        run: { life in
            life.find()
            life.add("new", "fresh")
            life.recover()
            life.update("item 2", secret: "changed")
            life.find()
        })

    /// A database whose first page is garbled, and no snapshot: that nothing is lost follows from table and indices.
    static let salvage = Script(
        name: "salvage",
        prepare: { home in
            let expectation = try filled(home)
            try garble(home + "/data/stores/default/items.db", pages: 1)
            return expectation.withDamage()
        },
        run: { life in
            life.find()
            life.add("new", "fresh")
            life.recover()
            life.delete("item 3")
            life.find()
        })

    /// The whole store is gone, and a snapshot is there.
    static let missing = Script(
        name: "missing",
        prepare: { home in
            var expectation = try filled(home, andThen: { _ = $0.takeSnapshot() })
            TemporaryFolder.remove(home + "/data/stores/default")
            // The mark is gone as well: nobody can tell whether the snapshot has all.
            TemporaryFolder.remove(home + "/state/stores")
            expectation.reports = [true]
            return expectation
        },
        run: { life in
            life.find()
            life.recover()
            life.delete("item 2")
            life.acknowledge()
        })

    static let restoration = Script(name: "restoration", prepare: { try filled($0) }) { life in
        let name = life.takeSnapshot()
        life.delete("item 2")
        life.add("new", "fresh")
        if let name { life.restore(name) }
        life.find()
        life.add("later", "still")
    }

    /// A store of the first format, which goes through all later ones.
    static let migration = Script(
        name: "migration",
        prepare: { home in
            let expectation = try filled(home, isMarked: false)
            TemporaryFolder.remove(home + "/state/stores")
            try FormerStore.make(home + "/data/stores/default/items.db", version: 1)
            return expectation
        },
        run: { life in
            life.find()
            life.add("new", "fresh")
        })

    /// The mark is ahead: the last changes are gone with the log.
    static let lostLog = Script(
        name: "lost-log",
        prepare: { home in
            var expectation = try filled(home)
            let before = try Tree(reading: home)
            let life = Life(home, expectation, isFailing: false)
            life.add("lost", "gone")
            guard life.problems.isEmpty else { throw Unprepared(problems: life.problems) }
            var after = before
            let mark = "state/stores/default.mark"
            after.files[mark] = try Tree(reading: home).files[mark]
            try after.write(to: home)
            expectation.losesChanges = true
            expectation.reports = [true]
            return expectation
        },
        run: { life in
            life.find()
            life.add("new", "fresh")
            life.acknowledge()
        })

    // MARK: What was there before

    /// - Parameter isMarked: whether the keybag says that the store has a mark, as it did not before format 3.
    private static func filled(
        _ home: String, isMarked: Bool = true, andThen more: (Life) -> Void = { _ in }
    ) throws -> Expectation {
        let life = Life(home, Expectation(), isFailing: false, isMarked: isMarked)
        for number in 1...6 { life.add("item \(number)", "secret \(number)", label: "label \(number)") }
        life.pin("/bin/program", 1)
        more(life)
        guard life.problems.isEmpty else { throw Unprepared(problems: life.problems) }
        return life.expectation
    }

    /// Overwrites pages in the middle of a database, head and roots of the tables first.
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
