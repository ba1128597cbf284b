import ChatelaineIPC
import ChatelaineModel
import Foundation
import TestSupport
import Testing

/// Tests of enclave keys that are no items: their program keeps them in sealed form (behaviour/detached-keys.md).
@Suite struct DetachedKeyTests {
    private static let token = "com.apple.setoken"
    private let tests: KeyItemTests
    private var household: Household { tests.household }

    init() throws { tests = try KeyItemTests() }

    private func make(
        _ more: [String: Any] = [:], of probe: ProbeProcess? = nil
    ) throws -> (reference: [String: Int], kept: Data) {
        var query: [String: Any] = ["type": KeyItemTests.ec, "bsiz": 256, "tkid": Self.token]
        query["private"] = ["perm": false].merging(more) { $1 }
        let made = try (probe ?? tests.probe).ask(["call": "makeKey", "query": query])
        let reference = try tests.reference(made)
        return (reference, try kept(reference, of: probe))
    }

    private func kept(_ reference: [String: Int], of probe: ProbeProcess? = nil) throws -> Data {
        let attributes = try tests.use("keyAttributes", reference, "", of: probe).dictionary
        #expect(attributes?["v_Data"] == nil && attributes?["tkid"] as? String == Self.token)
        return try #require(ProbeAnswer.data(attributes?["toid"]))
    }

    private func read(
        _ kept: Data, as kind: [String: Any] = ["type": KeyItemTests.ec, "kcls": "1"], of probe: ProbeProcess? = nil
    ) throws -> ProbeAnswer {
        let query: [String: Any] = ["tkid": Self.token, "data": KeyItemTests.base64(kept)]
        return try (probe ?? tests.probe).ask(["call": "readKey", "query": query.merging(kind) { $1 }])
    }

    private func sign(_ reference: [String: Int], of probe: ProbeProcess? = nil) throws -> ProbeAnswer {
        try tests.use("sign", reference, KeyItemTests.ecdsa, ["data": KeyItemTests.message], of: probe)
    }

    @Test func itsProgramKeepsItAndSigns() throws {
        let (first, kept) = try make()
        let publicKey = try tests.reference(tests.use("publicKey", first, ""))
        // The store has no item and no trace of the key.
        #expect(try tests.find(["r_Ref": true]).status == -25300)
        household.dismiss()
        let again = try tests.reference(read(kept))
        for key in [first, again] {
            let verifying: [String: Any] = [
                "data": KeyItemTests.message, "signature": KeyItemTests.base64(try sign(key).data),
            ]
            #expect(try tests.use("verify", publicKey, KeyItemTests.ecdsa, verifying).status == 0)
            #expect(try tests.use("export", key, "").status == -4)
        }
        #expect(try self.kept(again) == kept)
        let other = try tests.reference(
            tests.probe.ask(["call": "makeKey", "query": ["type": KeyItemTests.ec, "bsiz": 256] as [String: Any]]))
        let agreement = "algid:keyexchange:ECDH:KDFX963:SHA256"
        let otherPublic = try tests.reference(tests.use("publicKey", other, ""))
        let more: [String: Any] = ["size": 32, "data": KeyItemTests.message]
        let mine = try tests.use("agree", again, agreement, more.merging(["other": otherPublic]) { $1 })
        let theirs = try tests.use("agree", other, agreement, more.merging(["other": publicKey]) { $1 })
        #expect(mine.data?.count == 32 && mine.data == theirs.data)
        // A detached key cannot be added as an item.
        #expect(try tests.probe.call("add", ["class": "keys", "v_Ref": again]).status == -4)
    }

    @Test func aStolenOneIsWorthNothing() throws {
        let kept = try make().kept
        let stranger = try household.probe("stranger")
        #expect(try stranger.call("add", ["class": "genp", "acct": "x"]).status == 0)
        #expect(try read(kept, of: stranger).status == -25300)
        let task = KeyTask.sign(algorithm: "algid:sign:ECDSA:digest-X962", [UInt8](repeating: 1, count: 32))
        #expect(throws: KeychainError(.itemNotFound, "")) {
            try household.client.useDetachedKey(DetachedKeyUsage([UInt8](kept), task))
        }
        // On another device, the sealed bytes are not a key.
        let elsewhere = try Household()
        let same = try elsewhere.probe()
        #expect(try same.call("add", ["class": "genp", "acct": "x"]).status == 0)
        #expect(try read(kept, of: same).status == -26275)
    }

    @Test func whatWasChangedIsNoKey() throws {
        let kept = try make().kept
        for place in stride(from: 0, to: kept.count, by: 7) {
            var changed = kept
            changed[place] ^= 1
            #expect(try read(changed).status == -26275, "byte \(place)")
        }
        for wrong in [Data(), kept.dropLast(), kept + [0], Data(repeating: 0, count: 8000)] {
            #expect(try read(Data(wrong)).status == -26275)
        }
        let task = KeyTask.sign(algorithm: "algid:sign:ECDSA:digest-X962", [UInt8](repeating: 1, count: 32))
        var changed = [UInt8](kept)
        changed[changed.count / 2] ^= 1
        #expect(throws: KeychainError(.decode, "")) {
            try household.client.useDetachedKey(DetachedKeyUsage(changed, task))
        }
    }

    @Test func itOutlivesPasscodesAndNewKeys() throws {
        let before = try make().kept
        try household.passcode(.set, Household.passcode)
        let after = try make().kept
        try household.passcode(.newKeys, Household.passcode)
        try household.waitUntilSealedAnew()
        let opened = try tests.reference(read(before))
        for kept in [before, after] { #expect(try sign(try tests.reference(read(kept))).status == 0) }
        // The key's class locks with the others. Its owner can still be determined.
        for state in [LockState.locked, .beforeFirstUnlock] {
            try household.enter(state)
            #expect(try sign(opened).status == -25308, "\(state)")
            #expect(try sign(try tests.reference(read(after))).status == -25308, "\(state)")
        }
        try household.enter(.unlocked)
        #expect(try sign(opened).status == 0)
        try household.passcode(.remove, Household.passcode)
        for kept in [before, after] { #expect(try sign(try tests.reference(read(kept))).status == 0) }
    }

    @Test func itGoesWithThePasscodeWhereItsClassDoes() throws {
        try household.passcode(.set, Household.passcode)
        let kept = try make(["pdmn": "akpu"]).kept
        #expect(try sign(try tests.reference(read(kept))).status == 0)
        try household.passcode(.remove, Household.passcode)
        #expect(try sign(try tests.reference(read(kept))).status == -26275)
    }

    @Test func whatItCannotBeIsRefused() throws {
        func made(_ query: [String: Any]) throws -> Int {
            let usual: [String: Any] = ["type": KeyItemTests.ec, "bsiz": 256, "tkid": Self.token, "perm": false]
            return try tests.probe.ask(["call": "makeKey", "query": usual.merging(query) { $1 }]).status
        }
        #expect(try made(["bsiz": 384]) == -50)
        #expect(try made(["type": KeyItemTests.rsa, "bsiz": 2048]) == -50)
        #expect(try made(["tkid": "com.example.token"]) == -4)
        // Without a passcode, no person can be authenticated.
        let presence: [String: Any] = ["accc": ["accessControl": "ak", "flags": 1 | 1 << 30]]
        #expect(try made(["private": presence]) == -25293)
        #expect(try made(["agrp": "another.group"]) == -34018)
        #expect(try made([:]) == 0)
    }

    /// Detached keys are refused for file keychains, where no statement about their use would count.
    @Test func noFileKeychainIsItsPlace() throws {
        let presence: [String: Any] = ["accc": ["accessControl": "ak", "flags": 1 | 1 << 30]]
        let listing: [String: Any] = ["acls": ["access": [try household.application("other")]]]
        for more in [[:], presence, listing, ["pdmn": "cku"], ["private": presence]] as [[String: Any]] {
            var query: [String: Any] = ["type": KeyItemTests.ec, "bsiz": 256, "tkid": Self.token, "perm": false]
            query["nleg"] = false
            let made = try tests.probe.ask(["call": "makeKey", "query": query.merging(more) { $1 }])
            #expect(made.status == -50, "\(more)")
        }
        // The protocol refuses them too, whoever sends the request.
        var item = NewItem(itemClass: .key)
        item.keyKind = .ec
        item.attributes[.keyClass] = .number(KeyHalf.privateKey.rawValue)
        item.attributes[.tokenID] = .text(Self.token)
        #expect(try !household.client.makeDetachedKey(item).bytes.isEmpty)
        item.access = .open
        #expect(throws: KeychainError(.param, "")) { try household.client.makeDetachedKey(item) }
    }

    @Test func itIsReadAsNothingElse() throws {
        let kept = try make().kept
        for kind in [["type": KeyItemTests.rsa], ["kcls": "0"], ["kcls": "2"], ["type": "none"], ["kcls": "none"]] {
            #expect(try read(kept, as: kind).status == -50, "\(kind)")
        }
        #expect(try sign(try tests.reference(read(kept, as: [:]))).status == 0)
    }

    /// A program that runs while nobody is there can still make its key.
    @Test func itIsMadeWhileTheDeviceIsLocked() throws {
        _ = try make()
        try household.passcode(.set, Household.passcode)
        for state in [LockState.locked, .unlocked] {
            try household.enter(state)
            for accessible in ["ck", "cku"] {
                #expect(try sign(make(["pdmn": accessible]).reference).status == 0, "\(accessible) \(state)")
            }
        }
        try household.passcode(.newKeys, Household.passcode)
        try household.waitUntilSealedAnew()
        try household.enter(.locked)
        #expect(try sign(make(["pdmn": "ck"]).reference).status == 0)
    }

    // MARK: CryptoKit

    private var isAvailable: Bool {
        get throws { try tests.probe.ask(["call": "cryptoKitAvailable"]).result as? Bool == true }
    }

    @Test func theEnclaveIsThereWhileItsKeysAreLocked() throws {
        _ = try tests.reference(tests.make("locked", KeyItemTests.ec, 256, ["tkid": Self.token]))
        #expect(try isAvailable)
        try household.passcode(.set, Household.passcode)
        try household.enter(.locked)
        #expect(try isAvailable)
    }

    @Test func cryptoKitHasTheSecureEnclave() throws {
        let probe = tests.probe
        #expect(try isAvailable)
        for (make, use) in [("cryptoKitSigner", "cryptoKitSign"), ("cryptoKitAgreer", "cryptoKitAgree")] {
            let made = try probe.ask(["call": make])
            let kept = try #require(ProbeAnswer.data(made.dictionary?["kept"]))
            let query: [String: Any] = ["kept": KeyItemTests.base64(kept), "data": KeyItemTests.message]
            household.dismiss()
            #expect(try probe.ask(["call": use, "query": query]).status == 0, "\(use)")
            let again = try probe.ask(["call": make, "query": query])
            #expect(ProbeAnswer.data(again.dictionary?["public"]) == ProbeAnswer.data(made.dictionary?["public"]))
            let stranger = try household.probe("stranger of \(make)")
            #expect(try stranger.ask(["call": use, "query": query]).status == -25300)
        }
    }
}

/// Tests of detached keys that ask for their owner, with the real daemons, agent and pinentry.
@Suite struct DetachedKeyPresenceTests {
    @Test func thePersonIsAskedForEachSignature() throws {
        let asking = try AskingHousehold("/usr/bin/pinentry-tty")
        let program = try asking.household.application("keeper")
        let guarded: [String: Any] = ["accessControl": "aku", "flags": 1 | 1 << 30]
        let made = try asking.answers(of: program, to: [["call": "cryptoKitSigner", "query": ["accc": guarded]]]) {}
        let kept = try #require(ProbeAnswer.data(made.first?.dictionary?["kept"]))
        let query: [String: Any] = [
            "kept": KeyItemTests.base64(kept), "data": KeyItemTests.message, "u_AuthCtx": ["context": 0],
        ]
        // One context serves both signatures.
        let answers = try asking.answers(
            of: program, to: [["call": "context"], ["call": "cryptoKitSign", "query": query]]
        ) {
            try asking.terminal.expect("a key that the program keeps")
            try asking.type(Household.passcode)
        }
        #expect(answers.map(\.status) == [0, 0])
        #expect(answers.last?.data?.isEmpty == false)
    }
}

/// Tests of detached keys whose program is signed later.
@Suite struct DetachedKeyAdoptionTests {
    @Test func whatItKeptUnsignedStaysBehind() throws {
        let household = try Household()
        let developers = try Developers(in: household)
        try developers.makeTeam()
        try developers.require(["app", "team", "add", developers.anchor()])
        try household.application("keeper")
        let token = "com.apple.setoken"
        let unsigned = try household.probe("keeper")
        #expect(try unsigned.call("add", ["class": "genp", "acct": "x"]).status == 0)
        let made = try unsigned.ask([
            "call": "makeKey",
            "query": ["type": KeyItemTests.ec, "bsiz": 256, "tkid": token, "perm": false] as [String: Any],
        ])
        let reference = try #require(made.dictionary?["reference"] as? Int)
        let attributes = try unsigned.ask([
            "call": "keyAttributes", "query": ["key": ["reference": reference]] as [String: Any],
        ])
        let kept = try #require(ProbeAnswer.data(attributes.dictionary?["toid"]))
        let read: [String: Any] = [
            "call": "readKey", "query": ["tkid": token, "data": KeyItemTests.base64(kept)] as [String: Any],
        ]
        #expect(try household.probe("keeper").ask(read).status == 0)
        try developers.sign("keeper")
        try developers.require(["app", "adopt", developers.path("keeper")])
        let signed = try household.probe("keeper")
        #expect(try signed.call("find", ["class": "genp", "acct": "x"]).status == 0)
        #expect(try signed.ask(read).status == -25300)
    }
}
