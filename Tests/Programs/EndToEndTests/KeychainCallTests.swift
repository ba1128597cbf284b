import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of Apple's calls for whole file keychains, against the real daemons: the rows of D.1 and D.2.
@Suite struct KeychainCallTests {
    private enum Expected {
        static let param = -50
        static let authFailed = -25293
        static let noSuchKeychain = -25294
        static let invalidKeychain = -25295
        static let duplicateKeychain = -25296
        static let bufferTooSmall = -25301
        static let noDefaultKeychain = -25307
        static let interactionNotAllowed = -25308
        static let invalidPrefsDomain = -25319
    }

    private let household: Household
    private let probe: ProbeProcess

    init() throws {
        household = try Household()
        probe = try household.probe()
    }

    private func call(_ function: String, _ path: String? = nil, _ more: [String: Any] = [:]) throws -> ProbeAnswer {
        var command: [String: Any] = ["call": "SecKeychain", "function": function]
        command["path"] = path
        return try probe.ask(command.merging(more) { $1 })
    }

    private func status(_ function: String, _ path: String? = nil, _ more: [String: Any] = [:]) throws -> Int {
        try call(function, path, more).status
    }

    private func bits(_ path: String?) throws -> Int? { try call("GetStatus", path).result as? Int }

    // MARK: D.1 Paths, open, create, delete

    @Test func relativePathsAndNamesInTheHomeKeychainDirectory() throws {
        let path = "\(household.keychains)/a.keychain-db"
        for name in ["a.keychain", "a.keychain-db", path, "\(household.keychains)/./a.keychain"] {
            let answer = try call("GetPath", name)
            #expect(answer.result as? String == path, "\(name)")
        }
        // From the probe's own folder (behaviour/differences.md, 151).
        let below = try #require(try call("GetPath", "build/x.keychain").result as? String)
        #expect(below.hasPrefix("/") && below.hasSuffix("/build/x.keychain") && !below.hasPrefix(household.keychains))
        let elsewhere = try call("GetPath", "/opt/x.keychain")
        #expect(elsewhere.result as? String == "/opt/x.keychain", "names elsewhere are taken as they are")
    }

    @Test func openingAMissingFileSucceeds() throws {
        #expect(try status("Open", "missing") == 0)
        #expect(try status("GetStatus", "missing") == Expected.noSuchKeychain)
        #expect(try status("Unlock", "missing", ["password": "x"]) == Expected.noSuchKeychain)
        #expect(try status("Delete", "missing") == Expected.noSuchKeychain)
        for name in ["", "..", String(repeating: "x", count: 5000)] {
            #expect(try status("Open", name) == Expected.param)
        }
    }

    @Test func createChecksWhatItIsGiven() throws {
        #expect(try status("Create", "", ["password": "p"]) == Expected.param)
        #expect(try status("Create", "a") == Expected.param, "no prompt and no password")
        #expect(try status("Create", "a", ["length": 3]) == Expected.param)
        #expect(try status("Create", "a", ["prompt": true]) == Expected.interactionNotAllowed, "nobody is there")
        #expect(try status("Create", "/nowhere/a.keychain", ["password": "p"]) == Expected.noSuchKeychain)
        #expect(household.names(in: "data/keychains") == [])
        let made = try call("Create", "a", ["password": "p"])
        #expect(made.status == 0 && made.result as? Bool == true)
        #expect(try bits("a") == 7, "the new keychain is unlocked")
        #expect(try status("Create", "a", ["password": "p"]) == Expected.duplicateKeychain)
        // A keychain has no access object (behaviour/file-keychains.md, 10).
        #expect(try status("Create", "b", ["password": "p", "access": "given"]) == 0)
        #expect(try bits("b") == 7)
        #expect((try call("CopySearchList").result as? [String])?.first == "a-db", "and appended to the search list")
    }

    @Test func handlesAreOnePerPath() throws {
        #expect(try call("Open", "a", ["again": "\(household.keychains)/a-db"]).result as? Bool == true)
        #expect(try call("Open", "a", ["again": "b"]).result as? Bool == false)
    }

    @Test func deleteTakesItOffTheSearchListAndRemovesTheFile() throws {
        #expect(try status("Delete") == Expected.invalidKeychain, "NULL")
        #expect(try status("Create", "a", ["password": ""]) == 0)
        #expect(try status("Delete", "a") == 0)
        #expect(household.names(in: "data/keychains") == [])
        #expect((try call("CopySearchList").result as? [String])?.contains("a-db") == false)
    }

    @Test func aNullKeychainIsTheDefaultOne() throws {
        for function in ["Lock", "Unlock", "GetStatus", "GetPath", "SetDefault"] {
            #expect(try status(function, nil, ["password": "p"]) == Expected.noDefaultKeychain, "\(function)")
        }
        #expect(try status("CopyDefault") == Expected.noDefaultKeychain)
        #expect(try status("Create", "a", ["password": "p"]) == 0)
        #expect(try status("SetDefault", "a") == 0)
        #expect(try call("CopyDefault").result as? String == "a-db")
        #expect(try status("Lock") == 0)
        #expect(try bits(nil) == 6 && bits("a") == 6)
        #expect(try status("Unlock", nil, ["password": "p"]) == 0)
        #expect(try call("GetPath").result as? String == "\(household.keychains)/a-db")
    }

    @Test func aDamagedFileOpensAndIsInvalid() throws {
        #expect(try status("Create", "a", ["password": "p"]) == 0)
        try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: "\(household.keychains)/noise-db"))
        #expect(try status("Open", "noise") == 0)
        #expect(try status("GetStatus", "noise") == Expected.invalidKeychain)
        #expect(try status("Unlock", "noise", ["password": "p"]) == Expected.invalidKeychain)
    }

    @Test func getPathTellsHowLongItIs() throws {
        let path = "\(household.keychains)/a-db"
        let (whole, short) = (path.utf8.count + 1, path.utf8.count)
        let answer = try call("GetPath", "a", ["room": whole])
        #expect(answer.result as? String == path)
        for room in [0, 1, short] {
            let answer = try call("GetPath", "a", ["room": room])
            #expect(answer.status == Expected.bufferTooSmall && answer.result as? Int == short, "\(room)")
        }
    }

    @Test func getVersionIsConstant() throws { #expect(try call("GetVersion").result as? Int == 0x0202_8000) }

    // MARK: D.2 Lock state, settings, password

    @Test func lockAndUnlock() throws {
        #expect(try status("Create", "a", ["password": "right"]) == 0)
        #expect(try bits("a") == 7, "unlocked keychain: 7")
        #expect(try status("Unlock", "a", ["password": "wrong"]) == 0, "not checked where it is unlocked")
        #expect(try status("Lock", "a") == 0 && bits("a") == 6)
        #expect(try status("Lock", "a") == 0, "0 also when locked already")
        #expect(try status("Unlock", "a", ["password": "wrong"]) == Expected.authFailed)
        #expect(try bits("a") == 6, "stays locked")
        #expect(try status("Unlock", "a", ["length": 5]) == Expected.param)
        #expect(try status("Unlock", "a", ["password": "right"]) == 0 && bits("a") == 7)
        #expect(try status("Create", "b", ["password": "right"]) == 0)
        #expect(try status("LockAll") == 0)
        #expect(try bits("a") == 6 && bits("b") == 6, "SecKeychainLockAll locks all of the session")
    }

    @Test func unlockWithoutAPassword() throws {
        #expect(try status("Create", "a", ["password": "right"]) == 0)
        #expect(try status("Unlock", "a", ["prompt": true]) == 0, "there is nothing to ask")
        #expect(try status("Lock", "a") == 0)
        #expect(try status("Unlock", "a", ["prompt": true]) == Expected.interactionNotAllowed, "nobody is there")
        #expect(try status("SetUserInteractionAllowed", nil, ["state": false]) == 0)
        #expect(try status("Unlock", "a", ["prompt": true]) == Expected.interactionNotAllowed)
    }

    @Test func theLockStateBelongsToTheDaemon() throws {
        #expect(try status("Create", "a", ["password": "right"]) == 0)
        let other = try household.probe("other")
        let lock: [String: Any] = ["call": "SecKeychain", "function": "Lock", "path": "a"]
        #expect(try other.ask(lock).status == 0)
        #expect(try bits("a") == 6)
    }

    @Test func userInteractionIsOfTheProcess() throws {
        #expect(try call("GetUserInteractionAllowed").result as? Bool == true)
        #expect(try status("SetUserInteractionAllowed", nil, ["state": false]) == 0)
        #expect(try call("GetUserInteractionAllowed").result as? Bool == false)
        let other = try household.probe("other")
        let question: [String: Any] = ["call": "SecKeychain", "function": "GetUserInteractionAllowed"]
        #expect(try other.ask(question).result as? Bool == true)
    }

    /// Reading and setting the settings need the unlocked keychain.
    @Test func settingsAreKept() throws {
        #expect(try status("Create", "a", ["password": "right"]) == 0)
        #expect(try call("CopySettings", "a").result as? [Int] == [1, 1, 1, 300])
        let never = Int(Int32.max)
        for (given, kept) in [
            ([1, 0, 1, 60], [1, 0, 1, 60]), ([1, 1, 0, 90], [1, 1, 1, 90]), ([1, 1, 0, 0], [1, 1, 0, never]),
        ] {
            #expect(try status("SetSettings", "a", ["settings": given]) == 0)
            #expect(try call("CopySettings", "a").result as? [Int] == kept)
        }
        for version in [0, 2] {
            #expect(try status("SetSettings", "a", ["settings": [version, 0, 1, 5]]) == 0)
            #expect(try call("CopySettings", "a").result as? [Int] == [1, 1, 0, never])
        }
        #expect(try status("Lock", "a") == 0)
        #expect(try status("CopySettings", "a") == Expected.interactionNotAllowed)
        #expect(try status("SetSettings", "a", ["settings": [1, 1, 1, 5]]) == Expected.interactionNotAllowed)
        #expect(try status("Unlock", "a", ["password": "right"]) == 0)
        #expect(try call("CopySettings", "a").result as? [Int] == [1, 1, 0, never])
    }

    // MARK: D.3 Search list, default, domains

    @Test func searchListsAndDomains() throws {
        #expect(try status("SetSearchList", nil, ["list": ["b", "a"]]) == 0)
        let all = try #require(try call("CopySearchList").result as? [String])
        #expect(
            Array(all.prefix(2)) == ["b-db", "a-db"] && all.last == "System.keychain-db", "the common list follows")
        #expect(try call("CopyDomainSearchList").result as? [String] == ["b-db", "a-db"], "the order is kept")
        #expect(try call("CopyDomainSearchList", nil, ["domain": 2]).result as? [String] == ["System.keychain-db"])
        #expect(try status("SetDomainSearchList", nil, ["domain": 3, "list": []]) == Expected.invalidPrefsDomain)
        #expect(try status("CopyDomainDefault", nil, ["domain": 3]) == Expected.invalidPrefsDomain)
        #expect(try call("CopyDomainDefault", nil, ["domain": 1]).result as? String == "System.keychain-db")
        #expect(try status("SetDomainSearchList", nil, ["list": ["c"]]) == 0)
        #expect(try status("SetDomainDefault", "c", ["domain": 0]) == 0)
        #expect(try call("CopyDefault").result as? String == "c-db")
        #expect(try status("SetPreferenceDomain", nil, ["domain": 1]) == 0)
        #expect(
            try call("CopyDefault").result as? String == "System.keychain-db", "of the domain that the process means")
    }
}
