import InProcess

/// The scenarios of file keychains.
extension Scenario {
    /// A file keychain that is made, used, locked, unlocked, given settings and another password, and deleted.
    static let fileKeychain = Scenario(name: "file-keychain", prepare: { _ in Expectation() }, run: keychain)

    /// Private keys, identities and symmetric keys that never leave, in a file keychain: made, imported as from
    /// PKCS#12, used, changed, taken back and deleted.
    static let keychainKeys = Scenario(
        name: "keychain-keys",
        prepare: { home in
            let run = ScenarioRun(home, Expectation(), isFailing: false)
            run.createKeychain("first")
            run.makeKeysInKeychain("old")
            run.addSymmetricKeyToKeychain("vault")
            run.importIntoKeychain(try SampleIdentity("kept"))
            run.lockKeychain()
            guard run.problems.isEmpty else { throw Unprepared(problems: run.problems) }
            return run.expectation
        },
        run: { run in
            run.unlockKeychain()
            run.findInKeychain()
            guard let imported = try? SampleIdentity("imported"), let taken = try? SampleIdentity("taken") else {
                return run.complain("no key can be made")
            }
            run.makeKeysInKeychain("new")
            run.importIntoKeychain(imported)
            run.labelKeysInKeychain("old", "labelled")
            run.addSymmetricKeyToKeychain("chest")
            run.labelKeysInKeychain("vault", "labelled, too")
            run.importIntoKeychain(taken)
            run.takeBack(taken)
            run.changePassword("second")
            run.deleteKeysFromKeychain("new")
            run.deleteKeysFromKeychain("chest")
            run.lockKeychain()
            run.unlockKeychain()
            run.findInKeychain()
            run.lockKeychain()
        })

    /// A keychain outside of Chatelaine's folder: changes are made in a copy, which is written back to the program's
    /// file.
    static let keychainElsewhere = Scenario(
        name: "keychain-elsewhere",
        prepare: { _ in
            var expectation = Expectation()
            expectation.keychainIsElsewhere = true
            return expectation
        }, run: keychain)

    /// A keychain of the machine, with a key file: after each opening and change a whole copy is published to its
    /// readers.
    static let machineKeychain = Scenario(
        name: "machine-keychain",
        prepare: { _ in
            var expectation = Expectation()
            expectation.keychainIsPublished = true
            return expectation
        },
        run: { run in
            run.makeMachineKey()
            keychain(run)
        })

    /// A snapshot that replaces a file keychain, in Chatelaine's folder, outside, and in the machine's.
    static let keychainRestoration = restoration("keychain-restoration")
    static let elsewhereRestoration = restoration("keychain-elsewhere-restoration", isElsewhere: true)
    /// The daemon ended while it was open, so that its last changes are in the work copy and not in the file.
    static let leftOpenRestoration = restoration(
        "keychain-left-open-restoration", isElsewhere: true, isLeftOpen: true)
    /// Its password stays, and what others read of it is brought up to date.
    static let machineRestoration = restoration("machine-keychain-restoration", isPublished: true)

    private static func restoration(
        _ name: String, isElsewhere: Bool = false, isLeftOpen: Bool = false, isPublished: Bool = false
    ) -> Scenario {
        Scenario(
            name: name,
            prepare: { home in
                var expectation = Expectation()
                expectation.keychainIsElsewhere = isElsewhere
                expectation.keychainIsPublished = isPublished
                let run = ScenarioRun(home, expectation, isFailing: false, isMarked: true)
                run.createKeychain("first")
                run.addToKeychain("a", "one")
                run.takeKeychainSnapshot()
                run.addToKeychain("b", "two")
                if !isPublished { run.changePassword("second") }
                if !isLeftOpen { run.lockKeychain() }
                guard run.problems.isEmpty else { throw Unprepared(problems: run.problems) }
                expectation = run.expectation
                expectation.keychainIsRestored = true
                return expectation
            },
            run: { run in
                run.restoreKeychain(password: "first", items: ["a": Item(secret: "one", label: "")])
                run.unlockKeychain()
                run.addToKeychain("c", "three")
                run.findInKeychain()
                run.lockKeychain()
            })
    }

    private static func keychain(_ run: ScenarioRun) {
        run.createKeychain("first")
        run.addToKeychain("a", "one")
        run.lockKeychain()
        run.unlockKeychain()
        run.addToKeychain("b", "two")
        run.setInterval(60)
        run.addToKeychain(.certificate, "c", "in clear")
        run.addToKeychain(.key, "d", "public")
        run.changePassword("second")
        run.setInterval(21_600)
        run.deleteFromKeychain("a")
        run.findInKeychain()
        run.lockKeychain()
        run.deleteKeychain()
    }
}
