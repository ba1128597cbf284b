import Foundation
import Security
import TestSupport
import Testing

/// Tests of what an import of PKCS#12 stores besides the identities, with real daemons (behaviour/import-export.md).
@Suite struct BundleContentTests {
    private let household: Household
    private let probe: ProbeProcess
    private let files: AuthorityFiles

    init() throws {
        household = try Household()
        probe = try household.silentProbe("app")
        files = try AuthorityFiles(in: household.home)
    }

    /// A file with the identity of `below`, and with certificates of which one belongs to no chain.
    private func bundle(_ more: String...) throws -> String {
        _ = try files.chain()
        let others = try ["between", "root", "leaf"].map { try String(contentsOfFile: files.path($0), encoding: .utf8) }
        try others.joined().write(toFile: files.path("others"), atomically: true, encoding: .utf8)
        let words = [
            "pkcs12", "-export", "-inkey", "\(files.folder)/below.key", "-in", files.path("below"), "-certfile",
            files.path("others"), "-out", "\(files.folder)/all.p12", "-passout", "pass:pw",
        ]
        let run = try CommandRun(["openssl"] + words + more)
        try #require(run.exitStatus == 0, "\(run.errors)")
        return try Data(contentsOf: URL(fileURLWithPath: "\(files.folder)/all.p12")).base64EncodedString()
    }

    private func imported(_ bundle: String, _ options: [String: Any] = [:]) throws -> Int {
        try probe.ask([
            "call": "pkcs12", "data": bundle, "options": options.merging(["passphrase": "pw"]) { $1 },
        ]).status
    }

    private func labels(_ itemClass: String) throws -> [String?] {
        let query: [String: Any] = ["class": itemClass, "r_Attributes": true, "m_Limit": "m_LimitAll"]
        return (try probe.call("find", query).array ?? []).map { $0["labl"] as? String }
    }

    @Test func everyCertificateIsStored() throws {
        #expect(try imported(try bundle()) == 0)
        #expect(try Set(labels("cert").compactMap { $0 }) == ["below", "Between", "Example Root", "leaf"])
        #expect(try labels("keys") == ["Imported Private Key"])
    }

    /// The key is called as in the file, and its certificate after its subject.
    @Test func theNameInTheFileIsThatOfTheKey() throws {
        let bundle = try bundle("-name", "My Key")
        #expect(try imported(bundle) == 0)
        #expect(try labels("keys") == ["My Key"] && labels("cert").contains("below"))
        #expect(try probe.call("find", ["class": "keys", "labl": "My Key", "r_Ref": true]).status == 0)
        #expect(try probe.call("delete", ["class": "idnt"]).status == 0)
        #expect(try imported(bundle, ["labl": "ours"]) == 0)
        #expect(try labels("keys") == ["ours"])
        // The same holds in file keychains, for both calls.
        try household.create("a")
        let keychain: [String: Any] = [kSecImportExportKeychain as String: ["keychain": "a"]]
        let list: [[String: Any]] = [["keychain": "a"]]
        let named: [String: Any] = ["class": "keys", "labl": "My Key", "m_SearchList": list]
        #expect(try imported(bundle, keychain) == 0)
        #expect(try probe.call("find", named.merging(["r_Ref": true]) { $1 }).status == 0)
        #expect(try probe.call("delete", named).status == 0)
        let read: [String: Any] = ["call": "import", "data": bundle, "passphrase": "pw", "keychain": "a"]
        #expect(try probe.ask(read).status == 0)
        #expect(try probe.call("find", named.merging(["r_Ref": true]) { $1 }).status == 0)
    }

    /// An option that means nothing does not store what was to be in memory alone.
    @Test(arguments: ["yes", "1", ""]) func whetherItIsStoredIsABoolean(_ value: String) throws {
        #expect(try imported(try bundle(), ["memory": value]) == -50)
        #expect(try labels("keys") == [] && labels("cert") == [])
    }
}
