import ChatelaineMemory
import ChatelaineModel
import Glibc
import TestSupport
import Testing

@testable import SecurityTool

/// Tests of `find-…-password` and `delete-…-password`: what they print and where, by the table of macOS's command.
///
/// `CommandLine/passwords-in-keychains.txt` runs them with real daemons.
struct PasswordVerbTests {
    private let keychain = FakeKeychain()

    private func run(_ words: String...) -> ToolRun { ToolRun(words, keychain: keychain) }

    /// The expected record: one line for each attribute of the class, with tag, type and value, in the order of macOS's
    /// schema.
    static let genericRecord = #"""
        keychain: "/nonexistent/chatelaine/data/keychains/a-db"
        version: 512
        class: "genp"
        attributes:
            0x00000007 <blob>="Post"
            0x00000008 <blob>=<NULL>
            "acct"<blob>="anna"
            "cdat"<timedate>=0x32303031303130313030303030305A00  "20010101000000Z\000"
            "crtr"<uint32>="abcd"
            "cusi"<sint32>=<NULL>
            "desc"<blob>=
            "gena"<blob>=0x00FF 
            "icmt"<blob>=0x615C62  "a\134b"
            "invi"<sint32>=<NULL>
            "mdat"<timedate>=0x32303031303130313233353935395A00  "20010101235959Z\000"
            "nega"<sint32>=<NULL>
            "prot"<blob>=<NULL>
            "scrp"<sint32>=<NULL>
            "svce"<blob>="mail"
            "type"<uint32>=0x00000050  "\000\000\000P"

        """#

    static let internetRecord = #"""
        keychain: "/nonexistent/chatelaine/data/keychains/a-db"
        version: 512
        class: "inet"
        attributes:
            0x00000007 <blob>="example.org"
            0x00000008 <blob>=<NULL>
            "acct"<blob>=0xC3A46E6E65  "\303\244nne"
            "atyp"<blob>="dflt"
            "cdat"<timedate>=0x32303031303130313030303030305A00  "20010101000000Z\000"
            "crtr"<uint32>=<NULL>
            "cusi"<sint32>=<NULL>
            "desc"<blob>=<NULL>
            "icmt"<blob>=<NULL>
            "invi"<sint32>=<NULL>
            "mdat"<timedate>=0x32303031303130313030303030305A00  "20010101000000Z\000"
            "nega"<sint32>=<NULL>
            "path"<blob>="/a"
            "port"<uint32>=0x000001BB 
            "prot"<blob>=<NULL>
            "ptcl"<uint32>="htps"
            "scrp"<sint32>=<NULL>
            "sdmn"<blob>=
            "srvr"<blob>="example.org"
            "type"<uint32>=<NULL>

        """#

    /// A script whose output nobody reads cleans up all the same.
    @Test func whatCannotBeShownIsDeletedAllTheSame() {
        let words = ["delete-generic-password", "-l", "Post"]
        let run = ToolRun(words, keychain: keychain, hasOutput: false)
        #expect(run.exitStatus == 1 && run.errors.hasPrefix("password has been deleted.\n"))
        #expect(ToolRun(words, keychain: keychain).exitStatus == 44)
    }

    @Test func aRecordHasEveryAttribute() {
        let generic = run("find-generic-password", "-a", "anna", "a")
        #expect(generic.text == Self.genericRecord && generic.errors.isEmpty && generic.exitStatus == 0)
        let internet = run("find-internet-password")
        #expect(internet.text == Self.internetRecord && internet.errors.isEmpty && internet.exitStatus == 0)
    }

    @Test func theSecretGoesWhereItIsAskedFor() {
        let shown = run("find-generic-password", "-s", "mail", "-g")
        #expect(shown.text == Self.genericRecord && shown.errors == "password: \"s3cret\"\n")
        let alone = run("find-generic-password", "-w", "-s", "mail", "-g")
        #expect(alone.text == "s3cret\n" && alone.errors.isEmpty && alone.exitStatus == 0)
        // The command finds the first item by names, and then reads that item's secret, whatever else matches by then.
        guard case .findInKeychains(let query, let scope)? = keychain.last else { return #expect(Bool(false)) }
        #expect(query.returns == .data && scope.items?.count == 1 && scope.paths == [FakeKeychain.path])
        #expect(run("find-internet-password", "-g").errors == "password: 0x61FF0A  \"a\\377\\012\"\n")
        #expect(run("find-internet-password", "-w").text == "61ff0a\n")
    }

    /// Printable bytes are in quotes and others in hexadecimal; no bytes give no text.
    @Test(
        arguments: [
            ([], "", ""), (Array("a b~".utf8), "\"a b~\"", "a b~"), (Array("\"".utf8), "\"\"\"", "\""),
            ([0x00], "0x00 ", "00"), ([0x7F, 0xFF], "0x7FFF ", "7fff"), ([0x41, 0x0A], "0x410A  \"A\\012\"", "410a"),
            (Array("\\".utf8), "0x5C ", "\\"),
        ] as [([UInt8], String, String)])
    func bytesHaveTheirLayout(bytes: [UInt8], layout: String, password: String) {
        var buffer = SecretBuffer()
        buffer.append(layout: bytes)
        #expect(buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } == layout)
        var alone = SecretBuffer()
        bytes.withUnsafeBytes { alone.append(password: $0) }
        #expect(alone.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } == password)
    }

    @Test func whatIsNotFoundIs44() {
        for verb in ["find-generic-password", "delete-generic-password"] {
            let none = run(verb, "-a", "nobody")
            #expect(none.exitStatus == 44 && none.text.isEmpty)
            #expect(
                none.errors.hasPrefix("security: SecKeychainSearchCopyNext: No item that this program may see")
                    && none.errors.hasSuffix("\nsecurity: no item matches\n"))
            #expect(run(verb, "-a", "anna", "b").exitStatus == 50)
        }
    }

    @Test func whatCannotBeReadIsTold() {
        keychain.refusal.withLock { $0 = KeychainError(.interactionNotAllowed, "nobody can be asked") }
        for option in ["-g", "-w"] {
            let refused = run("find-generic-password", option)
            #expect(refused.exitStatus == 36 && refused.text.isEmpty)
            #expect(refused.errors.hasPrefix("security: SecKeychainItemCopyContent: "))
        }
        #expect(run("find-generic-password").exitStatus == 0, "names are no secret")
    }

    @Test func optionsSayWhichItemIsMeant() {
        _ = run(
            "find-internet-password", "-a", "a", "-c", "abcd", "-C", "note", "-D", "d", "-j", "j", "-l", "l", "-d", "x",
            "-p", "/p", "-P", "443", "-r", "ftp ", "-t", "http", "a")
        guard case .findInKeychains(let query, let scope)? = keychain.last else { return #expect(Bool(false)) }
        let expected: [AttributeKey: AttributeValue] = [
            .account: .text("a"), .creator: .number(0x6162_6364), .type: .number(0x6E6F_7465),
            .itemDescription: .text("d"), .comment: .text("j"), .label: .text("l"), .securityDomain: .text("x"),
            .path: .text("/p"), .port: .number(443), .protocolType: .text("ftp "), .authenticationType: .text("http"),
        ]
        #expect(query.attributes.count == expected.count && query.limit == .one && query.returns == .attributes)
        for (key, value) in expected { #expect(query.attributes[key] == value) }
        #expect(scope == KeychainScope(paths: [FakeKeychain.path]))
        // If the whole primary key is given, the other options do not count.
        _ = run("find-generic-password", "-a", "a", "-s", "s", "-l", "l", "-G", "g")
        guard case .findInKeychains(let whole, let all)? = keychain.last else { return #expect(Bool(false)) }
        #expect(whole.attributes.count == 2 && whole.attributes[.label] == nil && all == KeychainScope())
    }

    @Test func aCodeHasFourCharacters() {
        let short = run("find-generic-password", "-c", "ftp")
        #expect(short.exitStatus == 1 && keychain.last == nil)
        #expect(short.errors.contains("has a blank behind it"))
        #expect(run("find-internet-password", "-r", "https").exitStatus == 1)
        #expect(run("find-internet-password", "-P", "many").exitStatus == 2)
        #expect(run("find-generic-password", "-r", "http").exitStatus == 2)
    }

    @Test func theFirstOneIsDeletedAndShown() {
        let deleted = run("delete-generic-password", "-l", "Post")
        #expect(deleted.text == Self.genericRecord && deleted.exitStatus == 0)
        #expect(deleted.errors == "password has been deleted.\n")
        guard case .deleteInKeychains(_, let scope, let asksPerson)? = keychain.last else {
            return #expect(Bool(false))
        }
        #expect(scope.items?.count == 1 && scope.paths == [FakeKeychain.path] && asksPerson)
        #expect(run("delete-generic-password", "-l", "Post").exitStatus == 44)
    }

    /// A script must not take for a failure what is done.
    @Test func whatCannotBeReportedIsDoneAllTheSame() {
        let words = ["delete-generic-password", "-l", "Post"]
        #expect(ToolRun(words, keychain: FakeKeychain(), hasErrors: false).exitStatus == 0)
    }

    /// Like macOS's command, this one says that the password was deleted in either case.
    ///
    /// The exit status tells the truth.
    @Test func whatCannotBeDeletedIsTold() {
        keychain.refusal.withLock { $0 = KeychainError(.authFailed, "the program is not listed") }
        let refused = run("delete-internet-password", "-s", "example.org")
        #expect(refused.exitStatus == 51 && refused.text == Self.internetRecord)
        #expect(refused.errors.hasPrefix("password has been deleted.\nsecurity: SecKeychainItemDelete: "))
    }

    @Test func nothingIsDeletedWithoutAnOption() {
        let wrong = [
            ["delete-generic-password"], ["delete-generic-password", "-g"], ["delete-internet-password", "a"],
        ]
        for words in wrong {
            let run = ToolRun(words, keychain: keychain)
            #expect(run.exitStatus == 2 && run.errors.contains("Usage: \(words[0]) ") && keychain.last == nil)
        }
    }

    /// As on macOS, `-t` of this verb does not find what `add-internet-password` stored, while `find-internet-password`
    /// does.
    @Test func aDeletionReadsTheKindOfAuthenticationBackwards() {
        _ = run("delete-internet-password", "-t", "http")
        guard case .findInKeychains(let query, _)? = keychain.last else { return #expect(Bool(false)) }
        #expect(query.attributes[.authenticationType] == .text("ptth"))
    }
}
