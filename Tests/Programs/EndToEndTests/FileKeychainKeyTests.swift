import Foundation
import TestSupport
import Testing

/// Tests of private keys in file keychains, from Apple's calls down to keyd, between two programs
/// (behaviour/keychain-items.md).
@Suite struct FileKeychainKeyTests {
    private enum Expected {
        static let unimplemented = -4
        static let param = -50
        static let invalidOwnerEdit = -25244
        static let authFailed = -25293
        static let duplicateItem = -25299
        static let itemNotFound = -25300
        static let interactionNotAllowed = -25308
    }

    private static let (ec, rsa) = (73, 42)
    private static let message = "algid:sign:ECDSA:message-X962:SHA256"

    private let programs: TwoPrograms
    private var household: Household { programs.household }
    private var keeper: ProbeProcess { programs.keeper }
    private var game: ProbeProcess { programs.game }
    private var paths: [String] { programs.paths }

    init() throws { programs = try TwoPrograms(keychains: "a") }

    private static let keychain = ["keychain": "a"]

    /// The parameters of a new key in keychain `a`.
    private func parameters(_ more: [String: Any] = [:]) -> [String: Any] {
        let own: [String: Any] = [
            "type": Self.ec, "bsiz": 256, "perm": true, "u_Keychain": Self.keychain, "atag": PasswordTests.data("tag"),
            "labl": "signing",
        ]
        return own.merging(more) { $1 }
    }

    private func reference(_ answer: ProbeAnswer) throws -> [String: Int] {
        try #require(answer.status == 0, "\(answer.status)")
        return ["reference": try #require(answer.dictionary?["reference"] as? Int)]
    }

    private func made(_ more: [String: Any] = [:], by probe: ProbeProcess? = nil) throws -> [String: Int] {
        try reference((probe ?? keeper).ask(["call": "makeKey", "query": parameters(more)]))
    }

    private func find(_ query: [String: Any] = [:], by probe: ProbeProcess? = nil) throws -> ProbeAnswer {
        let base: [String: Any] = ["class": "keys", "kcls": 1, "m_SearchList": [Self.keychain], "r_Ref": true]
        return try (probe ?? keeper).call("find", base.merging(query) { $1 })
    }

    private func use(
        _ call: String, _ key: [String: Int], _ more: [String: Any] = [:], algorithm: String = message,
        by probe: ProbeProcess? = nil
    ) throws -> ProbeAnswer {
        let query: [String: Any] = ["key": key, "data": PasswordTests.data("a message")]
        return try (probe ?? keeper).ask([
            "call": call, "algorithm": algorithm, "query": query.merging(more) { $1 },
        ])
    }

    /// After a signature, only the program that brought the key has it in memory.
    @Test func thePrivateNumberIsInNoOtherMemory() throws {
        guard Privilege.isThere() else { return }
        let brought = try reference(
            keeper.ask(["call": "makeKey", "query": ["type": Self.ec, "bsiz": 256] as [String: Any]]))
        let bytes = try #require(try use("export", brought).data)
        let added = try keeper.call(
            "add", ["v_Ref": brought, "u_Keychain": Self.keychain, "atag": PasswordTests.data("scanned")])
        #expect(added.status == 0)
        let number = [UInt8](bytes.suffix(32))
        let patterns = [number, number.reversed()]
        #expect(!ProcessMemory(of: keeper.pid).regions(holding: patterns).isEmpty)
        let signer = try household.silentProbe("keeper")
        let key = try reference(find(["atag": PasswordTests.data("scanned")], by: signer))
        for _ in 0..<3 { #expect(try use("sign", key, by: signer).status == 0) }
        let daemons = [try #require(household.daemonPID), try #require(household.custodianPID)]
        // A worker keeps the key for a second (KeyItemTests).
        let workers = household.keyWorkerPIDs
        for pid in [signer.pid] + daemons + household.helperPIDs where !workers.contains(pid) {
            let found = ProcessMemory(of: pid).regions(holding: patterns).map { "\($0.name) \($0.range)" }
            #expect(found == [], "\(ProcessTable.name(of: pid) ?? "?")")
        }
    }

    @Test func aKeyIsMadeFoundAndUsedByWhoMadeIt() throws {
        let key = try made()
        let signature = try use("sign", key)
        #expect(signature.status == 0)
        let publicKey = try reference(keeper.ask(["call": "publicKey", "query": ["key": key]]))
        let verified = try use("verify", publicKey, ["signature": signature.result ?? ""])
        #expect(verified.status == 0)
        let found = try reference(find(["atag": PasswordTests.data("tag")]))
        #expect(try use("sign", found).status == 0)
        let attributes = try #require(try keeper.ask(["call": "keyAttributes", "query": ["key": found]]).dictionary)
        #expect(attributes["labl"] as? String == "signing" && attributes["perm"] as? Bool == true)
        #expect(attributes["v_Data"] == nil && attributes["bsiz"] as? Int == 256)
        for query in [["labl": "signing"], ["klbl": attributes["klbl"] ?? ""], ["type": Self.ec], ["bsiz": 256]] {
            #expect(try find(query).status == 0)
        }
        #expect(try find(["labl": "other"]).status == Expected.itemNotFound)
        // The data protection keychain has no key.
        #expect(try keeper.call("find", ["class": "keys"]).status == Expected.itemNotFound)
        // The maker may export the key, which it made extractable.
        #expect(ProbeAnswer.data(try keeper.ask(["call": "export", "query": ["key": found]]).result)?.count == 97)
        #expect(try use("raw", found).result as? Int == 97)
        #expect(try keeper.call("update", ["v_Ref": found], change: ["labl": "later"]).status == 0)
        #expect(try use("sign", found).status == 0 && find(["labl": "later"]).status == 0)
        #expect(try keeper.call("delete", ["v_Ref": found]).status == 0)
        #expect(try use("sign", found).status == Expected.itemNotFound)
    }

    @Test func whoIsNotListedFindsItAndDoesNothingWithIt() throws {
        let own = try made()
        let found = try reference(find(by: game))
        // Every program can read the public key.
        let publicKey = try reference(game.ask(["call": "publicKey", "query": ["key": found]]))
        let signature = try use("sign", own)
        #expect(try use("verify", publicKey, ["signature": signature.result ?? ""], by: game).status == 0)
        #expect(try use("sign", found, by: game).status == Expected.authFailed)
        #expect(try use("raw", found, by: game).status == Expected.authFailed)
        #expect(try game.ask(["call": "export", "query": ["key": found]]).status == Expected.authFailed)
        #expect(try find(["r_Data": true], by: game).status == Expected.authFailed)
        #expect(try game.call("delete", ["v_Ref": found]).status == Expected.invalidOwnerEdit)
        let change = try game.call("update", ["v_Ref": found], change: ["labl": "mine"])
        #expect(change.status == Expected.authFailed)
        let other = try reference(game.ask(["call": "makeKey", "query": ["type": Self.ec, "bsiz": 256]]))
        let agreement = "algid:keyexchange:ECDH"
        #expect(
            try use("agree", found, ["other": other], algorithm: agreement, by: game).status == Expected.authFailed)
        #expect(try use("sign", own).status == 0)
    }

    /// Where no person is there, a call that may ask fails with another status than one that may not.
    @Test func theContextOfItsQueryGoesWithIt() throws {
        _ = try made()
        let allow: [String: Any] = ["call": "SecKeychain", "function": "SetUserInteractionAllowed", "state": true]
        #expect(try game.ask(allow).status == 0)
        let asks = try reference(find(by: game))
        #expect(try use("sign", asks, by: game).status == Expected.interactionNotAllowed)
        #expect(try game.ask(["call": "context", "silent": true]).status == 0)
        let silent = try reference(find(["u_AuthCtx": ["context": 0]], by: game))
        #expect(try use("sign", silent, by: game).status == Expected.authFailed)
        #expect(try use("sign", asks, by: game).status == Expected.interactionNotAllowed)
    }

    @Test func eachOperationHasItsRight() throws {
        let key = try made(["type": Self.rsa, "bsiz": 2048])
        let (sign, cipher) = ("algid:sign:RSA:message-PKCS1v15:SHA256", "algid:encrypt:RSA:OAEP:SHA256")
        let publicKey = try reference(keeper.ask(["call": "publicKey", "query": ["key": key]]))
        let sealed = try use("encrypt", publicKey, algorithm: cipher)
        #expect(sealed.status == 0)
        let opened = try use("decrypt", key, ["data": sealed.result ?? ""], algorithm: cipher)
        #expect(opened.data == Data("a message".utf8))
        #expect(try use("sign", key, algorithm: sign).status == 0)
        let found = try reference(find(by: game))
        #expect(
            try use("decrypt", found, ["data": sealed.result ?? ""], algorithm: cipher, by: game).status
                == Expected.authFailed)
        #expect(try use("sign", found, algorithm: sign, by: game).status == Expected.authFailed)
    }

    /// RSA without padding signs and decrypts in one operation, so a program needs both rights for it.
    @Test func rawRSATakesBothRights() throws {
        func restricted(without right: String?) throws -> [String: Int] {
            var access: [String: Any] = ["access": [paths[0]]]
            access["without"] = right
            return try made([
                "type": Self.rsa, "bsiz": 2048, "atag": PasswordTests.data(right ?? "both"), "acls": access,
            ])
        }
        let (signing, decrypting) = ("algid:sign:RSA:raw", "algid:encrypt:RSA:raw")
        let (sign, cipher) = ("algid:sign:RSA:message-PKCS1v15:SHA256", "algid:encrypt:RSA:OAEP:SHA256")
        // The block is as long as the key, and its number is less than the modulus.
        let block = ["data": Data([0] + [UInt8](repeating: 7, count: 255)).base64EncodedString()]
        for (right, canSign, canDecrypt) in [
            (nil, true, true), ("ACLAuthorizationSign", false, true), ("ACLAuthorizationDecrypt", true, false),
        ] {
            let key = try restricted(without: right)
            let publicKey = try reference(keeper.ask(["call": "publicKey", "query": ["key": key]]))
            let sealed = try use("encrypt", publicKey, algorithm: cipher)
            func status(_ isAllowed: Bool) -> Int { isAllowed ? 0 : Expected.authFailed }
            let comment: Comment = "without \(right ?? "none")"
            #expect(try use("sign", key, algorithm: sign).status == status(canSign), comment)
            #expect(
                try use("decrypt", key, ["data": sealed.result ?? ""], algorithm: cipher).status == status(canDecrypt),
                comment)
            let both = status(canSign && canDecrypt)
            #expect(try use("sign", key, ["data": block], algorithm: signing).status == both, comment)
            #expect(try use("decrypt", key, ["data": block], algorithm: decrypting).status == both, comment)
        }
    }

    @Test func aKeyForUseAloneNeverLeaves() throws {
        let key = try made(["extr": false])
        #expect(try use("sign", key).status == 0)
        #expect(try keeper.ask(["call": "export", "query": ["key": key]]).status == Expected.unimplemented)
        #expect(try use("raw", key).status == Expected.unimplemented)
        // The key has no data, as in the data protection keychain.
        #expect(try find(["r_Data": true, "r_Ref": false]).result is NSNull?)
        // A copy to another keychain would take its bytes out, too.
        try household.create("b")
        let copy: [String: Any] = ["v_Ref": key, "u_Keychain": ["keychain": "b"]]
        #expect(try keeper.call("add", copy).status == Expected.unimplemented)
        // A token's key belongs to the data protection keychain.
        let token = parameters(["tkid": "com.apple.setoken"])
        #expect(try keeper.ask(["call": "makeKey", "query": token]).status == Expected.param)
    }

    @Test func aChangeTakesTheBytesAway() throws {
        let key = try made()
        #expect(try keeper.ask(["call": "export", "query": ["key": key]]).status == 0)
        let query: [String: Any] = ["class": "keys", "kcls": "1", "m_SearchList": [Self.keychain]]
        #expect(try keeper.call("update", query, change: ["extr": false]).status == 0)
        #expect(try keeper.ask(["call": "export", "query": ["key": key]]).status == Expected.unimplemented)
        #expect(try use("raw", key).status == Expected.unimplemented && use("sign", key).status == 0)
    }

    /// What a key is does not depend on its item.
    @Test func itsAttributesOutliveItsKeychain() throws {
        try household.create("b")
        let key = try made(["u_Keychain": ["keychain": "b"]])
        func attributes() throws -> [String: Any]? {
            try keeper.ask(["call": "keyAttributes", "query": ["key": key]]).dictionary
        }
        #expect(try attributes()?["labl"] as? String == "signing")
        try household.delete("b")
        let own = try #require(try attributes())
        #expect(own["bsiz"] as? Int == 256 && own["labl"] == nil)
    }

    @Test func bothHalvesOfAPairAreStored() throws {
        let pair = try keeper.ask(["call": "makePair", "query": parameters()])
        #expect(pair.status == 0)
        #expect(try find(["kcls": 0]).status == 0 && find(["kcls": 1]).status == 0)
        #expect(try find(["kcls": 0, "r_Data": true], by: game).status == 0)
        let again = try keeper.ask(["call": "makePair", "query": parameters()])
        #expect(again.status == 0)
        let all = try find(["kcls": 1, "m_Limit": "m_LimitAll"]).result as? [Any]
        #expect(all?.count == 2)
        let apart = parameters(["public": ["u_Keychain": ["keychain": "b"]]])
        #expect(try keeper.ask(["call": "makePair", "query": apart]).status == Expected.param)
    }

    @Test func aKeyThatAProgramHasIsAddedOnce() throws {
        let key = try reference(keeper.ask(["call": "makeKey", "query": ["type": Self.ec, "bsiz": 256]]))
        let item: [String: Any] = ["v_Ref": key, "u_Keychain": Self.keychain, "labl": "brought", "r_Ref": true]
        let added = try reference(keeper.call("add", item))
        #expect(try use("sign", added).status == 0)
        #expect(try keeper.call("add", item).status == Expected.duplicateItem)
        // The key's own value finds its item.
        let same: [String: Any] = ["v_Ref": key, "m_SearchList": [Self.keychain], "r_Attributes": true]
        #expect(try keeper.call("find", same).dictionary?["labl"] as? String == "brought")
        #expect(try use("sign", try reference(find(by: game)), by: game).status == Expected.authFailed)
    }

    @Test func theBytesOfASymmetricKeyAreItsMakers() throws {
        let item: [String: Any] = [
            "class": "keys", "kcls": 2, "labl": "symmetric", "v_Data": PasswordTests.data("0123456789abcdef"),
            "u_Keychain": Self.keychain,
        ]
        #expect(try keeper.call("add", item).status == 0)
        let query: [String: Any] = ["kcls": 2, "r_Ref": false, "r_Data": true]
        #expect(try find(query).data == Data("0123456789abcdef".utf8))
        #expect(try find(["kcls": 2, "r_Ref": false, "r_Attributes": true], by: game).status == 0)
        #expect(try find(query, by: game).status == Expected.authFailed)
    }

    /// A query without a class finds symmetric, public and private keys in this order.
    @Test func keysAreFoundByTheirClass() throws {
        for half in [1, 0, 2] {
            let item: [String: Any] = ["class": "keys", "kcls": half, "labl": "k", "u_Keychain": Self.keychain]
            #expect(try keeper.call("add", item).status == 0)
        }
        func classes(_ more: [String: Any]) throws -> [Int] {
            let query: [String: Any] = ["class": "keys", "labl": "k", "nleg": false, "r_Attributes": true]
            let answer = try keeper.call("find", query.merging(more) { $1 })
            return (answer.array ?? answer.dictionary.map { [$0] } ?? []).compactMap { $0["kcls"] as? Int }
        }
        for isLocked in [false, true] {
            if isLocked { try household.lock("a") }
            #expect(try classes(["m_Limit": "m_LimitAll"]) == [2, 0, 1])
            #expect(try classes(["m_Limit": 2]) == [2, 0] && classes([:]) == [2])
            #expect(try classes(["kcls": 1]) == [1])
        }
        #expect(try household.unlock("a") == .done)
        // No search would find a key of an unknown class.
        let strange: [String: Any] = ["class": "keys", "kcls": 7, "labl": "k", "u_Keychain": Self.keychain]
        #expect(try keeper.call("add", strange).status == Expected.param)
        let change = try keeper.call("update", ["class": "keys", "labl": "k", "nleg": false], change: ["kcls": 7])
        #expect(change.status == Expected.param)
        let all: [String: Any] = ["class": "keys", "labl": "k", "nleg": false]
        #expect(try keeper.call("delete", all).status == 0)
    }

    @Test func aLockedKeychainNamesItsKeysAndLendsNone() throws {
        let key = try made()
        try household.lock("a")
        let found = try reference(find(by: game))
        let publicKey = try game.ask(["call": "publicKey", "query": ["key": found]])
        #expect(publicKey.status == 0)
        #expect(try use("sign", key).status == Expected.authFailed)
        #expect(try keeper.ask(["call": "makeKey", "query": parameters()]).status == Expected.authFailed)
        #expect(try household.unlock("a") == .done)
        #expect(try use("sign", key).status == 0)
        // A new daemon finds the keychain locked.
        household.dismiss()
        #expect(try use("sign", key).status == Expected.authFailed)
        #expect(try household.unlock("a") == .done)
        #expect(try use("sign", key).status == 0)
    }

    @Test func whoeverAnAccessObjectListsMayUseAKey() throws {
        let open: [String: Any] = ["acls": ["access": paths]]
        _ = try made(open)
        // The access object lists the program, but the item's partition list does not: a person would be asked.
        let found = try reference(find(by: game))
        #expect(try use("sign", found, by: game).status == Expected.authFailed)
    }
}
