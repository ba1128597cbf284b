import ChatelaineIPC
import ChatelaineModel
import Testing

@testable import SecurityTool

/// Tests of what options mean in a query.
struct QueryOptionTests {
    private func query(_ arguments: String...) throws -> ItemQuery {
        let keychain = FakeKeychain()
        _ = ToolRun(["item", "find"] + arguments, keychain: keychain)
        guard case .find(let query)? = keychain.last else { throw ToolError.failure("nothing was asked") }
        return query
    }

    @Test func everyOptionIsItsAttribute() throws {
        let query = try query(
            "-s", "service", "-a", "account", "-l", "label", "-j", "comment", "-D", "kind", "--generic", "hex:00ff",
            "-c", "abcd", "-C", "0x00010203", "--invisible", "--negative", "--group", "group", "--accessible",
            "after-first-unlock", "--synchronizable", "any", "--attribute", "scrp=int:7", "--attribute",
            "alis=text:hex:1")
        #expect(query.attributes[.service] == .text("service"))
        #expect(query.attributes[.account] == .text("account"))
        #expect(query.attributes[.label] == .text("label"))
        #expect(query.attributes[.comment] == .text("comment"))
        #expect(query.attributes[.itemDescription] == .text("kind"))
        #expect(query.attributes[.generic] == .data([0, 255]))
        #expect(query.attributes[.creator] == .number(0x6162_6364))
        #expect(query.attributes[.type] == .number(0x0001_0203))
        #expect(AttributeKey("invi").flatMap { query.attributes[$0] } == .number(1))
        #expect(AttributeKey("nega").flatMap { query.attributes[$0] } == .number(1))
        #expect(AttributeKey("scrp").flatMap { query.attributes[$0] } == .number(7))
        #expect(AttributeKey("alis").flatMap { query.attributes[$0] } == .text("hex:1"))
        #expect(query.accessGroup == "group")
        #expect(query.accessibility == .afterFirstUnlock)
        #expect(query.synchronizable == .any)
        #expect(query.returns == .attributes)
        // The command finds one item and learns whether there are more.
        #expect(query.limit == .count(2))
    }

    @Test func anAccessControlHasItsClass() throws {
        let either = try AccessConstraints([.devicePasscode, .biometryAny, .or])
        let first = try query("--access-control", "devicePasscode,biometryAny,or")
        #expect(first.accessibility == .whenUnlocked && first.constraints == .exactly(either))
        for order in [
            ["--accessible", "always", "--access-control", "none"], ["--access-control", "none", "--accessible", "dk"],
        ] {
            let keychain = FakeKeychain()
            _ = ToolRun(["item", "find"] + order, keychain: keychain)
            guard case .find(let query)? = keychain.last else { throw ToolError.failure("nothing was asked") }
            #expect(try query.accessibility == .always && query.constraints == .exactly(AccessConstraints([])))
        }
        #expect(try query("--attribute", "access-control=userPresence").accessibility == .whenUnlocked)
        #expect(try query("--accessible", "always").constraints == .any)
        let keychain = FakeKeychain()
        _ = ToolRun(
            ["item", "add", "-s", "x", "--no-secret", "--access-control", "userPresence,applicationPassword"],
            keychain: keychain)
        guard case .add(let item)? = keychain.last else { throw ToolError.failure("nothing was added") }
        #expect(item.constraints == (try AccessConstraints([.userPresence, .applicationPassword])))
        for wrong in ["", "touch", "userPresence,", "none,or", "userPresence,devicePasscode", "or,and"] {
            let run = ToolRun(["item", "add", "-s", "x", "--no-secret", "--access-control", wrong])
            #expect(run.exitStatus == 2 && run.output.isEmpty, "\(wrong)")
        }
    }

    @Test func internetPasswordsHaveTheirOwn() throws {
        let query = try query(
            "--class", "internet", "--server", "example.org", "--protocol", "ssh", "--port", "22", "--path", "/",
            "--security-domain", "realm", "--authentication-type", "http-basic", "--host", "org", "--limit", "5")
        #expect(query.itemClass == .internetPassword)
        #expect(query.attributes[.server] == .text("example.org"))
        #expect(query.attributes[.protocolType] == .text("ssh "))
        #expect(query.attributes[.port] == .number(22))
        #expect(query.attributes[.path] == .text("/"))
        #expect(query.attributes[.securityDomain] == .text("realm"))
        #expect(query.attributes[.authenticationType] == .text("http"))
        #expect(query.host == "org")
        #expect(query.limit == .count(5))
    }

    @Test func datesAndReferences() throws {
        #expect(try query("--attribute", "created=2001-01-02").attributes[.creationDate] == .date(86_400))
        let reference = try query("--persistent-ref", "696e6574" + String(repeating: "03", count: 16))
        #expect(reference.itemClass == .internetPassword)
        #expect(reference.identifier?.bytes == Array(repeating: 3, count: 16))
        #expect(try query("-a", "anna", "--secret").returns == .data)
        #expect(try query("-a", "anna", "--secret").identifier?.bytes == Array(repeating: 1, count: 16))
        #expect(try query("-a", "anna", "--secret", "--json").returns == [.data, .attributes])
        #expect(try query("--all").limit == .all)
    }

    @Test func updateCarriesItsChange() throws {
        let keychain = FakeKeychain()
        let run = ToolRun(
            [
                "item", "update", "-s", "mail", "-a", "anna", "--set", "label=a=b", "--set", "icmt=", "--set",
                "synchronizable=no",
                "--stdin",
            ],
            keychain: keychain, input: [0, 10])
        #expect(run.exitStatus == 0 && run.text == "1 item changed\n" && run.errors.isEmpty)
        guard case .update(let query, let change)? = keychain.last else { throw ToolError.failure("no update") }
        #expect(query.items?.map(\.bytes) == [Array(repeating: 1, count: 16)] && query.attributes.isEmpty)
        #expect(change.attributes[.label] == .text("a=b"))
        #expect(change.attributes[.comment] == .text(""))
        #expect(change.isSynchronizable == false)
        #expect(change.secret?.withUnsafeBytes { Array($0) } == [0, 10])
    }

    @Test func pathsOfProgramsAreAbsolute() throws {
        let keychain = FakeKeychain()
        #expect(ToolRun(["app", "develop", "/proc/../usr/./bin/env"], keychain: keychain).exitStatus == 0)
        guard case .applications(.develop(let path))? = keychain.last else { throw ToolError.failure("no decision") }
        #expect(path.hasPrefix("/usr/bin/"))
        #expect(ToolRun(["app", "forget", "/gone/../build//x/"], keychain: keychain).exitStatus == 0)
        guard case .applications(.forget(let path))? = keychain.last else { throw ToolError.failure("no decision") }
        #expect(path == "/build/x")
    }

    @Test func pathsOfProgramsAreTakenApartByBytes() throws {
        // A combining accent makes one character of itself and the slash before it.
        let path = try ApplicationPath.absolute("/nowhere/./\u{301}a/\u{301}b/../c/", mustExist: false)
        #expect(path.utf8.elementsEqual("/nowhere/\u{301}a/c".utf8))
    }
}
