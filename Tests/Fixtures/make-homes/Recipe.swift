import ChatelaineModel
import InProcess
import ItemStore
import StoredHomes

/// One home: its name, its description, and the function that makes it.
struct Recipe: Sendable {
    let name: String
    let about: String
    let make: @Sendable (Maker) throws -> Void

    static let all: [Recipe] = [
        Recipe(name: "intact", about: "items of every kind; both daemons ended in good order") { try everyKind($0) },
        Recipe(name: "with-log", about: "a change is in the log only; the daemon was killed") { maker in
            try everyKind(maker)
            maker.end()
            try maker.add("late", "in the log", "not in the database yet")
            try maker.crash()
        },
        Recipe(
            name: "tombstones",
            about: "deleted synchronizable items, one of them added anew; changed and deleted local ones"
        ) {
            maker in
            for account in ["kept", "deleted", "again"] {
                try maker.add("cloud", account, "s \(account)") { $0.isSynchronizable = true }
            }
            for account in ["kept", "deleted", "changed"] { try maker.add("local", account, "s \(account)") }
            try maker.delete("cloud", "deleted")
            try maker.delete("cloud", "again")
            try maker.add("cloud", "again", "once more") { $0.isSynchronizable = true }
            try maker.delete("local", "deleted")
            try maker.update("local", "changed", secret: "other", label: "changed")
            // An item that is added again replaces its tombstone.
            maker.expect { $0.tombstones = 1 }
        },
        Recipe(name: "since-snapshot", about: "three items, a snapshot, four more items, one updated, one deleted") {
            try sinceSnapshot($0)
        },
        Recipe(name: "schema-garbled", about: "the first page of the database is garbled; there is no snapshot") {
            maker in
            try everyKind(maker)
            maker.end()
            try maker.garblePage(1)
            maker.expect {
                $0.recovers = true
                $0.list = ["recovery-begun", "recovery-finished"]
            }
        },
        Recipe(
            name: "rows-garbled",
            about: "the attributes of one row and the secrets of two are garbled; a snapshot has two of them"
        ) {
            maker in
            for account in ["a", "b", "c"] { try maker.add("rows", account, "s \(account)") }
            try maker.takeSnapshot()
            try maker.add("rows", "new", "in no snapshot")
            maker.end()
            try maker.sql(
                "UPDATE items SET metadata = zeroblob(120) WHERE row = 1; UPDATE items SET secret = zeroblob(40) WHERE row IN (2, 4)"
            )
            try maker.forget("rows", "new")
            maker.expect {
                $0.isMissing = true
                $0.quarantined = 3
                $0.list =
                    ["rows-altered", "rows-altered", "rows-altered"]
                    + ["set-aside", "set-aside", "set-aside", "restored", "restored"]
            }
        },
        Recipe(name: "database-gone", about: "the database is missing; the snapshot has all that there was") { maker in
            for account in ["a", "b", "c"] { try maker.add("gone", account, "s \(account)") }
            try maker.takeSnapshot()
            maker.end()
            try maker.remove(maker.database)
            maker.expect {
                $0.requests = []
                $0.recovers = true
                $0.list = ["recovery-begun", "restored", "restored", "restored", "recovery-finished"]
            }
        },
        Recipe(
            name: "recovering",
            about: "a recovery was begun, one item was asked for and one added before its turn; killed then"
        ) {
            maker in
            try everyKind(maker)
            maker.end()
            try maker.garblePage(1)
            try maker.update("mail", "anna", label: "changed meanwhile")
            try maker.add("meanwhile", "added", "during the recovery")
            try maker.crash()
            // Without the log, the home has one file instead of two.
            try maker.sql()
            maker.expect {
                $0.recovers = true
                $0.list = ["recovery-begun", "recovery-finished"]
            }
        },
        Recipe(
            name: "recovering-late", about: "a recovery has taken over what was left, and not yet what the snapshot has"
        ) { maker in
            for account in ["a", "b", "c"] { try maker.add("late", account, "s \(account)") }
            try maker.takeSnapshot()
            maker.end()
            // The root page of the items, which only a search reads.
            try maker.garblePage(5)
            _ = try? maker.opened().opened().find(.everything(.genericPassword), groups: [AccessGroup(Maker.group)])
            for _ in 0..<2 { _ = try maker.opened().opened().continueRecovery() }
            try maker.crash()
            try maker.sql()
            maker.expect {
                $0.recovers = true
                $0.list = ["recovery-begun", "restored", "restored", "restored", "recovery-finished"]
            }
        },
        Recipe(name: "exchange-cut", about: "the store that takes a damaged one’s place is whole, and not yet in it") {
            maker in
            try everyKind(maker)
            maker.end()
            try maker.garblePage(1)
            _ = try maker.opened().opened()
            maker.end()
            try maker.move(maker.store, to: maker.store + ".new")
            maker.expect {
                $0.recovers = true
                $0.list = ["recovery-begun", "recovery-finished"]
            }
        },
        Recipe(name: "mark-behind", about: "the mark stands three changes behind the database, as after a power cut") {
            maker in
            try maker.add("mark", "a", "s a")
            try maker.withoutMarking {
                for account in ["b", "c", "d"] { try maker.add("mark", account, "s \(account)") }
            }
        },
        Recipe(name: "mark-ahead", about: "the mark stands five changes ahead of the database, and nothing has them") {
            maker in
            for account in ["a", "b"] { try maker.add("mark", account, "s \(account)") }
            try maker.losing { for account in 1...5 { try maker.add("mark", "\(account)", "lost") } }
            maker.expect {
                $0.isMissing = true
                $0.list = ["changes-lost"]
            }
        },
        Recipe(
            name: "losses-known",
            about: "a store that lost changes, and was recovered with a row set aside and one of a snapshot"
        ) {
            maker in
            for account in ["a", "b", "c"] { try maker.add("past", account, "s \(account)") }
            try maker.takeSnapshot()
            try maker.losing { for account in 1...5 { try maker.add("past", "\(account)", "lost") } }
            try maker.add("past", "d", "in no snapshot")
            maker.end()
            try maker.sql("UPDATE items SET metadata = zeroblob(120) WHERE row IN (2, 4)")
            try maker.garblePage(1)
            while try maker.opened().opened().continueRecovery() {}
            try maker.forget("past", "d")
            maker.expect {
                $0.isMissing = true
                $0.quarantined = 2
                $0.list = ["changes-lost", "recovery-begun", "set-aside", "set-aside", "restored", "recovery-finished"]
            }
        },
        Recipe(
            name: "with-passcode",
            about: "a passcode; items of before it, and items that ask for their owner, the passcode or a password"
        ) { maker in
            try everyKind(maker)
            try maker.setPasscode("the passcode of a fixture")
            try withPasscode(maker)
            try maker.takeSnapshot()
            try maker.add("since", "snapshot", "later") { $0.flags = .userPresence }
        },
        Recipe(
            name: "with-teams",
            about: "two teams, a program whose items went over to one of them, and one that was changed"
        ) { maker in
            try decisions(maker)
            try maker.addTeam("ZYXWV98765")
        },
        Recipe(
            name: "with-confirmed-team",
            about:
                "a team that was added with the passcode, and one whose record counts no longer, since nobody confirmed it"
        ) { maker in
            try decisions(maker)
            try maker.setPasscode("the passcode of a fixture")
            maker.expect { $0.decisions?.teams = [] }
            try maker.addTeam("ZYXWV98765")
        },
    ]

    /// Makes one entry of each kind in the list of programs, and an item of a team.
    private static func decisions(_ maker: Maker) throws {
        try maker.addTeam("ABCDE12345")
        try maker.pin("/opt/example/editor", 1)
        try maker.pin("/opt/example/mail", 2)
        try maker.accept("/opt/example/editor", 1, 3)
        let group = try maker.group("ABCDE12345.mail", of: "ABCDE12345")
        try maker.noteAdoption(of: "/opt/example/mail", 2, to: group)
        try maker.add("mail", "anna", "s3cret") { $0.group = group }
        try maker.add("mail", "anna", "the editor’s")
    }

    /// Adds items of each class and protection class, synchronizable or not, with a secret or without.
    private static func everyKind(_ maker: Maker) throws {
        try maker.add("mail", "anna", "s3cret") {
            $0.attributes[.label] = .text("Mail of Anna")
            $0.attributes[.comment] = .text("with a comment")
            $0.attributes[.generic] = .data([0, 1, 0xFF])
        }
        let classes = Accessibility.allCases.filter { $0 != .whenPasscodeSetThisDeviceOnly }
        for accessible in classes {
            try maker.add("class \(accessible.name)", "account", "secret \(accessible.name)") {
                $0.accessible = accessible
                $0.isSynchronizable = accessible.rawValue <= Accessibility.always.rawValue
            }
        }
        try maker.add("no secret", "account", nil)
        try maker.add("no bytes", "account", "")
        try maker.add("mail", "anna", "another program’s") { $0.group = Maker.otherGroup }
        for (index, accessible) in [Accessibility.afterFirstUnlock, .alwaysThisDeviceOnly].enumerated() {
            try maker.add(
                Maker.Draft(
                    itemClass: .internetPassword, accessible: accessible, isSynchronizable: index == 0,
                    attributes: [
                        .server: .text("www.example.com"), .account: .text("bob"), .port: .number(8443),
                        .protocolType: .text("htps"), .path: .text("/login"),
                    ], secret: index == 0 ? "of a server" : nil))
        }
        try maker.pin("/usr/bin/program", 1)
        try maker.pin("/opt/other/program", 2)
    }

    private static let flags: [AccessControlFlags] = [
        [], [.userPresence], [.devicePasscode], [.devicePasscode, .biometryAny, .or],
        [.devicePasscode, .companion, .or], [.applicationPassword], [.userPresence, .applicationPassword],
    ]

    private static func withPasscode(_ maker: Maker) throws {
        for (index, flags) in flags.enumerated() {
            try maker.add("constrained", "\(index)", "secret \(index)") {
                $0.flags = flags
                $0.accessible = index % 2 == 0 ? .whenUnlocked : .afterFirstUnlockThisDeviceOnly
                $0.password = flags.contains(.applicationPassword) ? "open sesame \(index)" : nil
            }
        }
        try maker.add("constrained", "no secret", nil) { $0.flags = .userPresence }
        try maker.add("passcode alone", "account", "gone with it") { $0.accessible = .whenPasscodeSetThisDeviceOnly }
        try maker.add("passcode alone", "constrained", "gone with it") {
            $0.accessible = .whenPasscodeSetThisDeviceOnly
            $0.flags = .userPresence
        }
    }

    private static func sinceSnapshot(_ maker: Maker) throws {
        for account in ["1", "2", "3"] { try maker.add("store", account, "s \(account)") }
        try maker.takeSnapshot()
        for account in ["4", "5", "6", "7"] { try maker.add("store", account, "s \(account)") }
        try maker.update("store", "1", secret: "changed")
        try maker.delete("store", "2")
    }
}
