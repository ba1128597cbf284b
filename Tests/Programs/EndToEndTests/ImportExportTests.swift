import Foundation
import TestSupport
import Testing

/// Tests of files of keys and certificates, through Apple's calls with real daemons (behaviour/import-export.md).
@Suite struct ImportExportTests {
    private let household: Household
    private let probe: ProbeProcess

    init() throws {
        household = try Household()
        try household.application("app")
        probe = try household.probe("app")
    }

    private func fixture(_ name: String) throws -> String {
        let place = Repository.root.appendingPathComponent("Tests/Keys/KeyFormatsTests/Fixtures/\(name)")
        return try Data(contentsOf: place).base64EncodedString()
    }

    private func pkcs12(
        _ name: String, _ passphrase: Any?
    ) throws -> (status: Int, identities: [[String: Any]]) {
        var options: [String: Any] = ["memory": true]
        options["passphrase"] = passphrase
        let answer = try probe.ask(["call": "pkcs12", "data": try fixture(name), "options": options])
        return (answer.status, answer.result as? [[String: Any]] ?? [])
    }

    private func imported(_ data: String, _ more: [String: Any] = [:]) throws -> (status: Int, result: [String: Any]) {
        let answer = try probe.ask(["call": "import", "data": data].merging(more) { $1 })
        return (answer.status, answer.result as? [String: Any] ?? [:])
    }

    @Test(arguments: ["modern.p12", "rc2-40.p12", "from-jks.p12"]) func anIdentityIsImportedIntoMemory(_ name: String)
        throws
    {
        let (status, identities) = try pkcs12(name, "password")
        #expect(status == 0 && identities.count == 1)
        let identity = try #require(identities.first)
        let chain = try #require(identity["chain"] as? [String])
        #expect(chain.count == 3 && Set(chain).count == 3)
        #expect(
            (identity["identity"] as? String)?.hasPrefix("identity \(chain[0]) <SecKey: private key, RSA, 2048 bits>")
                == true)
        #expect((identity["keyid"] as? String)?.isEmpty == false && identity["label"] is String)
    }

    @Test func severalIdentitiesOfAFile() throws {
        let (status, identities) = try pkcs12("java.p12", "password")
        #expect(status == 0 && identities.map { $0["label"] as? String } == ["rsa", "ec"])
        #expect(
            try pkcs12("windows-like.pfx", "P\u{E4}ssw\u{F6}rd").identities.first?["label"] as? String == "Jürgen Größe"
        )
        #expect(try pkcs12("empty.p12", "").identities.count == 1)
    }

    @Test func whatIsWrongIsSaid() throws {
        #expect(try pkcs12("modern.p12", "other").status == -25293)
        #expect(try pkcs12("modern.p12", nil).status == -25260)
        #expect(try pkcs12("modern.p12", 7).status == -50)
        #expect(try pkcs12("iterations.p12", "password").status == -25256)
        let whole = try #require(Data(base64Encoded: fixture("modern.p12")))
        let cut = whole.prefix(1000).base64EncodedString()
        let options = ["memory": true, "passphrase": "password"] as [String: Any]
        #expect(try probe.ask(["call": "pkcs12", "data": cut, "options": options]).status == -26275)
        #expect(try probe.ask(["call": "pkcs12", "data": "AAAA", "options": options]).status == -25257)
    }

    @Test func filesAreDetected() throws {
        let (status, result) = try imported(try fixture("modern.p12"), ["passphrase": "password"])
        #expect(status == 0 && result["format"] as? Int == 12 && result["type"] as? Int == 5)
        let items = try #require(result["items"] as? [String])
        #expect(
            items.count == 3 && items[0].hasPrefix("identity ")
                && items.dropFirst().allSatisfy { $0.hasPrefix("certificate ") })
        #expect(try imported(try fixture("java.p12"), ["passphrase": "password", "flags": 1]).status == -25259)
        #expect(try imported(try fixture("java.p12"), ["passphrase": "password", "format": 9]).status == -25257)
        #expect(try imported(try fixture("java.p12"), ["flags": 2]).status == -25308, "nobody can be asked")
        #expect(try imported("AAAA").status == -25257)
    }

    /// A key that goes through every format that can hold it is the same key afterwards.
    @Test func whatIsExportedIsImported() throws {
        let source = try fixture("in-the-open.p12")
        let first = try imported(source)
        let original = try #require(first.result["items"] as? [String])
        #expect(original.count == 1 && original[0].hasPrefix("identity "))
        func convert(_ format: Int, _ passphrase: String?, isText: Bool) throws -> ProbeAnswer {
            var command: [String: Any] = ["call": "convert", "data": source, "to": format, "pem": isText]
            command["newPassphrase"] = passphrase
            return try probe.ask(command)
        }
        for (format, passphrase, isText) in [(12, "secret", false), (12, "", true)] as [(Int, String, Bool)] {
            let written = try convert(format, passphrase, isText: isText)
            #expect(written.status == 0)
            let text = try #require(written.result as? String)
            let again = try imported(text, ["passphrase": passphrase])
            #expect(again.result["items"] as? [String] == original)
        }
        let sequence = try convert(0, nil, isText: true)
        let text = try #require(sequence.result as? String)
        let pieces = try imported(text)
        let parts = try #require(pieces.result["items"] as? [String])
        #expect("identity " + parts.joined(separator: " ") == original[0])
        #expect(try convert(12, nil, isText: false).status == -25260)
        #expect(try convert(9, nil, isText: false).status == -50)
        // The format holds a single item.
        #expect(try convert(3, nil, isText: false).status == -50)
        #expect(try convert(2, nil, isText: false).status == -25256)
    }

    @Test func theCallsOfOldDoTheSame() throws {
        let source = try fixture("in-the-open.p12")
        let original = try imported(source)
        let former = try imported(source, ["isFormer": true])
        #expect(former.status == 0 && former.result["items"] as? [String] == original.result["items"] as? [String])
        #expect(former.result["format"] as? Int == 12 && former.result["type"] as? Int == 5)
        #expect(try imported(try fixture("modern.p12"), ["isFormer": true]).status == -25260)
        #expect(try imported(try fixture("modern.p12"), ["isFormer": true, "passphrase": "other"]).status == -25293)
        let written = try probe.ask([
            "call": "convert", "data": source, "to": 12, "newPassphrase": "new", "isFormer": true,
        ])
        let text = try #require(written.result as? String)
        #expect(written.status == 0)
        #expect(
            try imported(text, ["passphrase": "new"]).result["items"] as? [String] == original.result["items"]
                as? [String])
        #expect(try probe.ask(["call": "convert", "data": source, "to": 12, "isFormer": true]).status == -25260)
    }

    /// What an import says that keys are meant for becomes attributes of the stored keys, and anything else is refused.
    @Test(arguments: [false, true]) func usesAreAttributesOfStoredKeys(isFormer: Bool) throws {
        func usage(_ names: [String], _ bits: UInt32) -> [String: Any] {
            isFormer ? ["keyUsage": bits, "isFormer": true] : ["usage": names]
        }
        func store(_ data: String, in keychain: String, _ more: [String: Any]) throws -> Int {
            try imported(data, ["keychain": keychain].merging(more) { $1 }).status
        }
        func flags(_ half: Int, in keychain: String) throws -> Set<String> {
            let found = try probe.call(
                "find", ["class": "keys", "kcls": half, "m_SearchList": [["keychain": keychain]], "r_Attributes": true])
            let all = try #require(found.dictionary, "\(found)")
            let uses = ["encr", "decr", "sign", "vrfy", "snrc", "vyrc", "wrap", "unwp", "drve"]
            #expect(uses.allSatisfy { all[$0] is Int })
            return Set(uses.filter { all[$0] as? Int == 1 })
        }
        let identity = try fixture("in-the-open.p12")
        let sequence = try probe.ask(["call": "convert", "data": identity, "to": 10, "pem": true])
        let key = try #require(sequence.result as? String)
        let bytes = Data(repeating: 7, count: 32).base64EncodedString()
        for name in ["identity", "key", "session", "any"] { try household.create(name) }
        #expect(try store(identity, in: "identity", usage(["sign", "drve"], 0x104)) == 0)
        #expect(try flags(1, in: "identity") == ["sign", "drve"])
        #expect(try store(key, in: "key", usage(["decr"], 2)) == 0)
        #expect(try flags(1, in: "key") == ["decr"])
        #expect(try store(bytes, in: "session", usage(["wrap"], 0x40).merging(["format": 4]) { $1 }) == 0)
        #expect(try flags(2, in: "session") == ["wrap"])
        #expect(try store(identity, in: "any", usage([], 0x8000_0004)) == 0)
        #expect(try flags(1, in: "any") == ["sign", "decr", "unwp", "drve"], "no use is every one")
        #expect(try imported(identity, usage(["sign", "labl"], 0x404)).status == -50, "in memory too")
        // A key that is only meant to decrypt signs.
        let found = try probe.call(
            "find", ["class": "keys", "kcls": 1, "m_SearchList": [["keychain": "key"]], "r_Ref": true])
        let reference = try #require(found.dictionary?["reference"] as? Int)
        let signed = try probe.ask([
            "call": "sign", "algorithm": KeyItemTests.ecdsa,
            "query": ["key": ["reference": reference], "data": KeyItemTests.message] as [String: Any],
        ])
        #expect(signed.status == 0)
    }

    @Test func bytesAreASymmetricKeyWhereThatIsSaid() throws {
        let bytes = Data(repeating: 7, count: 32).base64EncodedString()
        let key = "<SecKey: symmetric key, AES, 256 bits> \(bytes)"
        for form in [["format": 4], ["type": 3]] {
            let (status, result) = try imported(bytes, form)
            #expect(status == 0 && result["items"] as? [String] == [key])
            #expect(result["format"] as? Int == 4 && result["type"] as? Int == 3)
        }
        let written = try probe.ask(["call": "convert", "data": bytes, "format": 4, "to": 4])
        #expect(written.status == 0 && written.result as? String == bytes)
        #expect(try probe.ask(["call": "convert", "data": bytes, "format": 4, "to": 1]).status == -50)
        let odd = Data(repeating: 7, count: 5).base64EncodedString()
        #expect(try imported(odd, ["format": 4]).status == -50)
    }

    @Test func anIdentityNeedsTheKeyOfItsCertificate() throws {
        func identity(_ data: String) throws -> String? {
            try probe.ask(["call": "identity", "data": data]).result as? String
        }
        func text(_ name: String) throws -> Data {
            let answer = try probe.ask([
                "call": "convert", "data": try fixture(name), "passphrase": "password", "to": 10, "pem": true,
            ])
            let written = try #require(answer.result as? String)
            return try #require(Data(base64Encoded: written))
        }
        let (one, other) = (try text("in-the-open.p12"), try text("no-mac.p12"))
        #expect(try identity(one.base64EncodedString()) == "made")
        #expect(try identity(other.base64EncodedString()) == "made")
        let java = try text("java-legacy.p12")
        // The certificate comes first, then its key.
        let key = try #require(String(decoding: java, as: UTF8.self).range(of: "-----BEGIN RSA PRIVATE KEY"))
        let certificate = try #require(String(decoding: one, as: UTF8.self).range(of: "-----BEGIN EC PRIVATE KEY"))
        let mixed =
            String(decoding: one, as: UTF8.self)[..<certificate.lowerBound]
            + String(decoding: java, as: UTF8.self)[key.lowerBound...]
        #expect(try identity(Data(mixed.utf8).base64EncodedString()) == "none")
    }

    /// A worker of its own reads each file, and ends afterwards. The process that forks them stays.
    @Test func noWorkerIsLeft() throws {
        for _ in 0..<10 { #expect(try pkcs12("in-the-open.p12", "").status == 0) }
        let parents = household.formatdPIDs
        #expect(parents.count == 1)
        // securityd answers before the worker has ended.
        for _ in 0..<1000 where parents.contains(where: { !ProcessTable.children(of: $0).isEmpty }) { usleep(10_000) }
        #expect(parents.allSatisfy { ProcessTable.children(of: $0).isEmpty })
    }
}
