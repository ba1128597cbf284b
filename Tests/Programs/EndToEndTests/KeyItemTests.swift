import ChatelaineIPC
import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of keys as items, from Apple's calls in a program down to keyd (behaviour/keys.md).
@Suite struct KeyItemTests {
    static let (rsa, ec) = ("42", "73")
    static let message = PasswordTests.data("a message")
    static let ecdsa = "algid:sign:ECDSA:message-X962:SHA256"

    let household: Household
    let probe: ProbeProcess

    init() throws {
        household = try Household()
        probe = try household.probe()
    }

    func tag(_ name: String) -> [String: String] { PasswordTests.data(name) }

    func make(
        _ name: String, _ type: String = ec, _ bits: Int = 256, _ more: [String: Any] = [:],
        of probe: ProbeProcess? = nil
    ) throws -> ProbeAnswer {
        let query: [String: Any] = ["type": type, "bsiz": bits, "perm": true, "atag": tag(name)]
        // The public key becomes an item only if the parameters for it say so.
        return try (probe ?? self.probe).ask([
            "call": "makeKey",
            "query": query.merging(["public": ["perm": false] as [String: Any]]) { $1 }.merging(more) { $1 },
        ])
    }

    func find(_ query: [String: Any], of probe: ProbeProcess? = nil) throws -> ProbeAnswer {
        try (probe ?? self.probe).call("find", ["class": "keys"].merging(query) { $1 })
    }

    func reference(_ answer: ProbeAnswer) throws -> [String: Int] {
        try #require(answer.status == 0)
        return ["reference": try #require(answer.dictionary?["reference"] as? Int)]
    }

    func use(
        _ call: String, _ key: [String: Int], _ algorithm: String, _ more: [String: Any] = [:],
        of probe: ProbeProcess? = nil
    ) throws -> ProbeAnswer {
        try (probe ?? self.probe).ask([
            "call": call, "algorithm": algorithm, "query": ["key": key as Any].merging(more) { $1 },
        ])
    }

    static func base64(_ data: Data?) -> [String: String] { ["data": (data ?? Data()).base64EncodedString()] }

    /// Each of two processes of a program has its own object, made from the item or from its bytes.
    @Test func aKeyIsTheSameInAnotherProcess() throws {
        let made = try reference(make("org.example.equal"))
        let other = try household.probe()
        let found = try reference(find(["atag": tag("org.example.equal"), "r_Ref": true], of: other))
        func read(_ bytes: Data?, _ half: String, by probe: ProbeProcess) throws -> [String: Int] {
            let query: [String: Any] = ["type": Self.ec, "kcls": half, "data": Self.base64(bytes)]
            return try reference(probe.ask(["call": "readKey", "query": query]))
        }
        func areEqual(_ one: [String: Int], _ two: [String: Int], of probe: ProbeProcess) throws -> Bool {
            try use("equal", one, "", ["other": two], of: probe).result as? Bool == true
        }
        let bytes = try use("export", made, "").data
        let copy = try read(bytes, "1", by: other)
        #expect(try areEqual(found, copy, of: other) && areEqual(copy, found, of: other))
        let half = try reference(use("publicKey", made, ""))
        let publicCopy = try read(use("export", half, "").data, "0", by: other)
        #expect(try areEqual(reference(use("publicKey", found, "", of: other)), publicCopy, of: other))
        #expect(try !areEqual(found, publicCopy, of: other))
        // Both objects describe the key alike.
        var (here, there) = (
            try use("keyAttributes", made, "").dictionary, try use("keyAttributes", found, "", of: other).dictionary
        )
        // Each process numbers its objects.
        #expect(here?.removeValue(forKey: "accc") != nil && there?.removeValue(forKey: "accc") != nil)
        #expect(here != nil && NSDictionary(dictionary: here ?? [:]) == NSDictionary(dictionary: there ?? [:]))
        let another = try reference(make("org.example.equal.not", of: other))
        #expect(try !areEqual(found, another, of: other))
    }

    @Test func aKeyIsMadeFoundAndSigns() throws {
        _ = try reference(make("org.example.sign"))
        household.dismiss()
        let key = try reference(find(["atag": tag("org.example.sign"), "r_Ref": true]))
        let publicKey = try reference(use("publicKey", key, ""))
        let signed = try use("sign", key, Self.ecdsa, ["data": Self.message])
        let verifying: [String: Any] = ["data": Self.message, "signature": Self.base64(signed.data)]
        #expect(try use("verify", publicKey, Self.ecdsa, verifying).status == 0)
        #expect(
            try use("verify", publicKey, Self.ecdsa, verifying.merging(["data": tag("another")]) { $1 }).status
                == -67808)
        #expect(try use("sign", key, "algid:sign:ECDSA:digest-X962:SHA256", ["data": Self.message]).status == -50)
        #expect(try use("sign", key, "algid:sign:RSA:raw", ["data": Self.message]).status == -50)
        #expect(try probe.call("delete", ["class": "keys", "v_Ref": key]).status == 0)
        #expect(try use("sign", key, Self.ecdsa, ["data": Self.message]).status == -25300)
        #expect(try find(["atag": tag("org.example.sign"), "r_Ref": true]).status == -25300)
    }

    @Test(arguments: [
        ("algid:encrypt:RSA:OAEP:SHA256", 2048), ("algid:encrypt:RSA:PKCS1", 1024),
        ("algid:encrypt:RSA:OAEP:SHA512:AESGCM", 2048),
    ])
    func aKeyOfRSADecrypts(_ algorithm: String, _ bits: Int) throws {
        let key = try reference(make("rsa", Self.rsa, bits))
        let publicKey = try reference(use("publicKey", key, ""))
        let exponent = try use("export", publicKey, "").data?.suffix(5)
        #expect(exponent.map { [UInt8]($0) } == [0x02, 3, 0x01, 0x00, 0x01])
        let encrypted = try use("encrypt", publicKey, algorithm, ["data": Self.message])
        let decrypted = try use("decrypt", key, algorithm, ["data": Self.base64(encrypted.data)])
        #expect(decrypted.data == Data("a message".utf8))
        guard algorithm != "algid:encrypt:RSA:PKCS1" else { return }
        var other = encrypted.data ?? Data()
        other[3] ^= 1
        #expect(try use("decrypt", key, algorithm, ["data": Self.base64(other)]).status == -26275)
        // A damaged message does not affect the key.
        #expect(try find(["atag": tag("rsa"), "r_Ref": true]).status == 0)
    }

    @Test(arguments: [256, 384, 521])
    func keysOfCurvesAgreeAndDecrypt(_ bits: Int) throws {
        let key = try reference(make("stored", Self.ec, bits))
        let publicKey = try reference(use("publicKey", key, ""))
        let other = try reference(
            probe.ask(["call": "makeKey", "query": ["type": Self.ec, "bsiz": bits] as [String: Any]]))
        let otherPublic = try reference(use("publicKey", other, ""))
        for algorithm in ["algid:keyexchange:ECDH", "algid:keyexchange:ECDH:KDFX963:SHA384"] {
            let more: [String: Any] = ["size": 48, "data": Self.message]
            let mine = try use("agree", key, algorithm, more.merging(["other": otherPublic]) { $1 })
            let theirs = try use("agree", other, algorithm, more.merging(["other": publicKey]) { $1 })
            #expect(mine.data != nil && mine.data == theirs.data)
        }
        // More than one derivation may hash, wherever the key is.
        let much: [String: Any] = ["size": 64 * 1024, "data": Self.base64(Data(count: 32 * 1024))]
        for (one, peer) in [(key, otherPublic), (other, publicKey)] {
            let all = much.merging(["other": peer]) { $1 }
            #expect(try use("agree", one, "algid:keyexchange:ECDH:KDFX963:SHA1", all).status == -50)
        }
        let algorithm = "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV"
        let encrypted = try use("encrypt", publicKey, algorithm, ["data": Self.message])
        #expect(
            try use("decrypt", key, algorithm, ["data": Self.base64(encrypted.data)]).data == Data("a message".utf8))
    }

    /// The can-… flags describe a key: searches see them, and nothing else does.
    @Test(arguments: [false, true]) func flagsOfUsesLimitNothing(isPermanent: Bool) throws {
        let flags: [String: Any] = ["sign": false, "decr": false, "drve": false, "perm": isPermanent]
        let key = try reference(make("described", Self.ec, 256, flags))
        let publicKey = try reference(use("publicKey", key, ""))
        let signed = try use("sign", key, Self.ecdsa, ["data": Self.message])
        #expect(signed.status == 0)
        let verifying: [String: Any] = ["data": Self.message, "signature": Self.base64(signed.data)]
        #expect(try use("verify", publicKey, Self.ecdsa, verifying).status == 0)
        let (ecies, ecdh) = ("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM", "algid:keyexchange:ECDH")
        let encrypted = try use("encrypt", publicKey, ecies, ["data": Self.message])
        #expect(
            try use("decrypt", key, ecies, ["data": Self.base64(encrypted.data)]).data == Data("a message".utf8))
        #expect(try use("agree", key, ecdh, ["other": publicKey]).status == 0)
        guard isPermanent else { return }
        #expect(try find(["sign": false, "r_Attributes": true]).dictionary?["sign"] as? Int == 0)
        for flag in ["sign", "decr", "drve"] { #expect(try find([flag: true, "r_Ref": true]).status == -25300) }
        // An item that says more than its key can do is found, and does not do it.
        #expect(try probe.call("update", ["class": "keys"], change: ["vrfy": true, "sign": true]).status == 0)
        #expect(try find(["vrfy": true, "sign": true, "r_Ref": true]).status == 0)
        #expect(try use("verify", key, Self.ecdsa, verifying).status == -50)
    }

    @Test func keysAreFoundByWhatTheyAre() throws {
        let pair = try probe.ask([
            "call": "makePair",
            "query": [
                "type": Self.ec, "bsiz": 256, "perm": true, "atag": tag("pair"), "labl": "my pair",
            ] as [String: Any],
        ])
        #expect(pair.status == 0)
        let label = try #require(
            try probe.ask(["call": "keyAttributes", "query": ["key": ["reference": 1]]]).dictionary?["klbl"])
        for query: [String: Any] in [
            ["labl": "my pair"], ["klbl": label], ["type": Self.ec], ["bsiz": 256], ["atag": tag("pair")],
            ["drve": true],
        ] {
            let all = try find(query.merging(["m_Limit": "m_LimitAll", "r_Ref": true]) { $1 })
            #expect(all.array?.count == 2, "\(query)")
            #expect(try find(query.merging(["kcls": "1", "r_Ref": true]) { $1 }).status == 0, "\(query)")
        }
        #expect(try find(["sign": true, "kcls": "0", "r_Ref": true]).status == -25300)
        #expect(try find(["bsiz": 384, "r_Ref": true]).status == -25300)
        // The search returns attributes, data and both kinds of reference.
        let found = try #require(
            try find(["kcls": "1", "r_Ref": true, "r_Attributes": true, "r_PersistentRef": true, "r_Data": true])
                .dictionary)
        #expect(found["perm"] as? Int == 1 && found["sign"] as? Int == 1 && found["encr"] as? Int == 0)
        #expect(ProbeAnswer.data(found["v_Data"])?.count == 97)
        let persistent = try #require(found["v_PersistentRef"])
        #expect(try find(["v_PersistentRef": persistent, "r_Ref": true]).status == 0)
        let named = try #require(found["v_Ref"] as? [String: Any])["reference"] as Any
        #expect(try find(["m_ItemList": [["reference": named]], "r_Ref": true]).status == 0)
        // The public key in memory finds its item.
        #expect(try find(["v_Ref": ["reference": 0], "r_Attributes": true]).dictionary?["kcls"] as? Int == 0)
        let list = try probe.call("find", ["u_ItemList": [["reference": 0]], "r_Attributes": true])
        #expect(list.dictionary?["kcls"] as? Int == 0)
        #expect(try probe.call("update", ["class": "keys", "labl": "my pair"], change: ["labl": "ours"]).status == 0)
        #expect(try find(["labl": "ours", "kcls": "1", "r_Ref": true]).status == 0)
        #expect(
            try probe.call("update", ["class": "keys", "labl": "ours"], change: ["v_Data": tag("x")]).status == -50)
        // A key that moves to another class stays the same key.
        #expect(try probe.call("update", ["class": "keys", "kcls": "1"], change: ["pdmn": "ck"]).status == 0)
        let moved = try reference(find(["kcls": "1", "pdmn": "ck", "r_Ref": true]))
        let signed = try use("sign", moved, Self.ecdsa, ["data": Self.message])
        #expect(
            try use(
                "verify", ["reference": 0], Self.ecdsa, ["data": Self.message, "signature": Self.base64(signed.data)]
            )
            .status == 0)
    }

    @Test func aKeyThatWasReadIsAddedAsIt() throws {
        let made = try reference(
            probe.ask(["call": "makeKey", "query": ["type": Self.rsa, "bsiz": 1024] as [String: Any]]))
        let bytes = try #require(try use("export", made, "").data)
        let adding: [String: Any] = ["v_Ref": made, "atag": tag("added"), "r_Ref": true]
        #expect(try probe.call("add", adding).status == 0)
        #expect(try probe.call("add", adding).status == -25299)
        let found = try reference(find(["atag": tag("added"), "r_Ref": true]))
        #expect(try use("export", found, "").data == bytes)
        #expect(try find(["atag": tag("added"), "r_Data": true]).data == bytes)
        // The bytes are added with a description of the key.
        let raw: [String: Any] = ["class": "keys", "kcls": "1", "type": Self.rsa, "v_Data": Self.base64(bytes)]
        #expect(try probe.call("add", raw.merging(["atag": tag("raw")]) { $1 }).status == 0)
        #expect(try find(["atag": tag("raw"), "r_Attributes": true]).dictionary?["bsiz"] as? Int == 1024)
        #expect(try probe.call("add", raw.merging(["type": Self.ec]) { $1 }).status == -50)
        #expect(try probe.call("add", raw.merging(["v_Data": tag("nonsense")]) { $1 }).status == -50)
        #expect(try probe.call("add", raw.merging(["kcls": "0"]) { $1 }).status == -50)
        // The parameters do not say which key they mean.
        for nothing: [String: Any] in [[:], ["pdmn": "ck"], ["r_Ref": true]] {
            #expect(try probe.call("add", nothing.merging(["class": "keys"]) { $1 }).status == -50)
        }
        #expect(try find(["pdmn": "ck", "r_Ref": true]).status == -25300)
        // A symmetric key may be any bytes.
        let aes: [String: Any] = ["class": "keys", "kcls": "2", "atag": tag("aes"), "v_Data": tag("0123456789abcdef")]
        #expect(try probe.call("add", aes).status == 0)
        #expect(try find(["atag": tag("aes"), "r_Data": true]).data == Data("0123456789abcdef".utf8))
    }

    @Test(arguments: [["extr": false], ["tkid": "com.apple.setoken"]] as [[String: any Sendable]])
    func aKeyThatNeverLeavesIsUsedAlone(_ more: [String: any Sendable]) throws {
        let key = try reference(make("kept", Self.ec, 256, more))
        #expect(try use("export", key, "").status == -4)
        #expect(try use("raw", key, "").status == -4, "by the protocol itself")
        let found = try find(["atag": tag("kept"), "r_Data": true])
        #expect(found.status == 0 && found.result == nil)
        #expect(try find(["atag": tag("kept"), "r_Data": true, "r_Attributes": true]).dictionary?["extr"] as? Int == 0)
        // The key stays non-extractable after a move to another class.
        #expect(
            try probe.call("update", ["class": "keys", "atag": tag("kept")], change: ["pdmn": "ck", "extr": true])
                .status == 0)
        let moved = try reference(find(["atag": tag("kept"), "r_Ref": true]))
        #expect(try use("raw", moved, "").status == -4)
        let publicKey = try reference(use("publicKey", moved, ""))
        for algorithm in [
            Self.ecdsa, "algid:sign:ECDSA:message-X962:SHA512", "algid:sign:ECDSA:message-RFC4754:SHA384",
        ] {
            let signed = try use("sign", moved, algorithm, ["data": Self.message])
            #expect(
                try use("verify", publicKey, algorithm, ["data": Self.message, "signature": Self.base64(signed.data)])
                    .status == 0, "\(algorithm)")
        }
        let other = try reference(
            probe.ask(["call": "makeKey", "query": ["type": Self.ec, "bsiz": 256] as [String: Any]]))
        let agreement = "algid:keyexchange:ECDH:KDFX963:SHA256"
        let more: [String: Any] = ["size": 32, "data": Self.message]
        let mine = try use(
            "agree", moved, agreement, more.merging(["other": reference(use("publicKey", other, ""))]) { $1 })
        let theirs = try use("agree", other, agreement, more.merging(["other": publicKey]) { $1 })
        #expect(mine.data?.count == 32 && mine.data == theirs.data)
    }

    @Test func theEnclaveHasKeysOfOneCurve() throws {
        let enclave: [String: Any] = ["tkid": "com.apple.setoken"]
        #expect(try make("rsa", Self.rsa, 2048, enclave).status == -50)
        #expect(try make("p384", Self.ec, 384, enclave).status == -50)
        #expect(try make("other", Self.ec, 256, ["tkid": "com.example.token"]).status == -4)
        // Without `kSecAttrIsPermanent`, a key of the enclave becomes an item.
        let query: [String: Any] = [
            "type": Self.ec, "bsiz": 256, "tkid": "com.apple.setoken", "labl": "of the enclave",
        ]
        _ = try reference(probe.ask(["call": "makeKey", "query": query]))
        #expect(
            try find(["tkid": "com.apple.setoken", "r_Attributes": true]).dictionary?["labl"] as? String
                == "of the enclave")
        #expect(try find(["kcls": "0", "r_Ref": true]).status == -25300)
        let bytes = try use(
            "export",
            try reference(probe.ask(["call": "makeKey", "query": ["type": Self.ec, "bsiz": 256] as [String: Any]])), ""
        ).data
        let brought: [String: Any] = [
            "class": "keys", "kcls": "1", "type": Self.ec, "tkid": "com.apple.setoken", "v_Data": Self.base64(bytes),
        ]
        #expect(try probe.call("add", brought).status == -50)
    }

    @Test func nothingIsLeftOfAPairThatCannotBe() throws {
        func pair(_ name: String) throws -> Int {
            let parts: [String: Any] = ["perm": true, "klbl": tag("one label"), "atag": tag(name)]
            return try probe.ask([
                "call": "makePair",
                "query": ["type": Self.ec, "bsiz": 256, "private": parts, "public": parts] as [String: Any],
            ]).status
        }
        #expect(try pair("a") == 0)
        #expect(try pair("a") == -25299)
        #expect(try probe.call("delete", ["class": "keys", "kcls": "1"]).status == 0)
        #expect(try pair("a") == -25299, "the public one is there")
        #expect(try find(["kcls": "1", "r_Ref": true]).status == -25300)
        #expect(try probe.call("delete", ["class": "keys"]).status == 0)
        #expect(try pair("a") == 0)
    }

    @Test func anotherProgramHasNothingOfIt() throws {
        let key = try reference(make("mine"))
        let persistent = try #require(try find(["atag": tag("mine"), "r_PersistentRef": true]).data)
        let other = try household.probe("stranger")
        #expect(try other.call("add", ["class": "genp", "acct": "x"]).status == 0)
        #expect(try find(["atag": tag("mine"), "r_Ref": true], of: other).status == -25300)
        #expect(try find(["v_PersistentRef": Self.base64(persistent), "r_Ref": true], of: other).status == -25300)
        #expect(try other.call("delete", ["class": "keys"]).status == -25300)
        let item = try #require(ItemIdentifier([UInt8](persistent.suffix(16))))
        for task in [KeyTask.export, .sign(algorithm: "algid:sign:ECDSA:digest-X962", [1, 2])] {
            #expect(throws: KeychainError(.itemNotFound, "")) { try household.client.useKey(KeyUsage(item, task)) }
        }
        #expect(try use("sign", key, Self.ecdsa, ["data": Self.message]).status == 0)
    }

    /// The device's new keys wrap row keys that no request opens, and a check reports no damage.
    @Test func keysOutliveNewKeysOfTheDevice() throws {
        _ = try reference(make("used"))
        _ = try reference(make("kept", Self.ec, 256, ["extr": false]))
        _ = try reference(make("enclave", Self.ec, 256, ["tkid": "com.apple.setoken"]))
        household.dismiss()
        try household.replaceKeys()
        #expect(try find(["r_Ref": true]).status == 0)
        try household.waitUntilSealedAnew()
        for name in ["used", "kept", "enclave"] {
            let key = try reference(find(["atag": tag(name), "r_Ref": true]))
            #expect(try use("sign", key, Self.ecdsa, ["data": Self.message]).status == 0, "\(name)")
        }
        var position: UInt64? = 0
        while let next = position {
            let step = try household.client.check(position: next)
            #expect(step.findings.isEmpty && step.structure.isEmpty)
            position = step.next
        }
        let report = try household.client.status()
        #expect(report["store.quarantined"] == .number(0) && report["store.losses"] == .number(0))
        let snapshot = try #require(try household.client.snapshots(.take()).first)
        #expect(try probe.call("delete", ["class": "keys"]).status == 0)
        _ = try household.client.snapshots(.restore(name: snapshot.name))
        let back = try reference(find(["atag": tag("kept"), "r_Ref": true]))
        #expect(try use("sign", back, Self.ecdsa, ["data": Self.message]).status == 0)
        #expect(try use("raw", back, "").status == -4)
    }

    @Test func manyThreadsSignWithOneKey() throws {
        for more: [String: any Sendable] in [[:], ["tkid": "com.apple.setoken"]] {
            let key = try reference(make("threads", Self.ec, 256, more))
            let answer = try probe.ask([
                "call": "signOnThreads", "algorithm": Self.ecdsa, "count": 64, "rounds": 4, "query": ["key": key],
            ])
            #expect(answer.status == 0)
            #expect(try probe.call("delete", ["class": "keys"]).status == 0)
        }
    }

    // MARK: Access control

    private static let privateKeyUsage = 1 << 30
    private static let presence = 1

    @Test func anAccessControlOfAKeySaysWhoCalculates() throws {
        func guarded(_ flags: Int) -> [String: any Sendable] {
            [
                "private": ["perm": true, "accc": ["accessControl": "ak", "flags": flags] as [String: any Sendable]]
                    as [String: any Sendable]
            ]
        }
        #expect(try make("guarded", Self.ec, 256, guarded(Self.presence)).status == -50, "it says nothing of use")
        // Without a passcode, no person can be authenticated.
        #expect(try make("guarded", Self.ec, 256, guarded(Self.presence | Self.privateKeyUsage)).status == -25293)
        let key = try reference(make("free", Self.ec, 256, guarded(Self.privateKeyUsage)))
        #expect(try use("sign", key, Self.ecdsa, ["data": Self.message]).status == 0)
        #expect(try use("raw", key, "").status == -4)
    }
}
