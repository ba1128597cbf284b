import Foundation
import TestSupport
import Testing

/// Tests of evaluations that ask servers, with the real daemons and an HTTP server in an `/etc` that opens its port.
///
/// Needs root.
@Suite(
    .enabled(if: WebServer.ownAddress != nil, "there is no network, and nobody asks the loopback"), .serialized)
struct TrustFetchTests {
    private static let success = ["...certificate verification successful."]

    /// A household in which root has named the port of an authority.
    private struct Scene {
        let home: RootedHousehold
        let tools: Developers
        let authority: AuthorityServer

        init(opensPort: Bool = true) throws {
            home = try RootedHousehold(user: Privilege.user(92))
            tools = try Developers(in: home.bus)
            authority = try AuthorityServer(in: home.bus.household.home)
            try home.root("mkdir -p trust")
            if opensPort { try home.write("\(authority.port) # the test's\n", to: "trust/fetch-ports") }
        }

        /// The output of `security verify-cert` for the server's certificate.
        func verify(_ methods: String..., sends others: [String] = ["between"]) throws -> [String] {
            let files = (["leaf"] + others).flatMap { ["-c", authority.path($0)] }
            return try tools.tool(
                ["verify-cert"] + files + ["-r", authority.path("root"), "-p", "ssl", "-n", AuthorityServer.host]
                    + methods.flatMap { ["-R", $0] }
            ).output
        }
    }

    @Test func answersOfServersCount() throws {
        guard Privilege.isThere() else { return }
        let scene = try Scene()
        // No server is asked without need.
        #expect(try scene.verify() == Self.success)
        #expect(try scene.verify("offline") == Self.success)
        #expect(scene.authority.asked.isEmpty)
        #expect(try scene.verify("ocsp", "require") == Self.success)
        #expect(scene.authority.asked == ["POST /ocsp"])
        // The second evaluation uses the stored answer.
        try scene.authority.setRevoked(true)
        #expect(try scene.verify("ocsp", "require") == Self.success)
        #expect(scene.authority.asked == ["POST /ocsp"])
        // A new daemon has no stored answer. Lists and responders give the same result.
        for (method, request) in [("ocsp", "POST /ocsp"), ("crl", "GET /list")] {
            let other = try Scene()
            try other.authority.setRevoked(true)
            let output = try other.verify(method)
            #expect(output.contains { $0.contains("revoked") }, "\(output)")
            #expect(other.authority.asked == [request])
        }
    }

    /// An unusable answer counts as none.
    ///
    /// If an answer is demanded, the next source is asked.
    @Test func whatIsOfNoUseIsNothing() throws {
        guard Privilege.isThere() else { return }
        let answers: [(String, AuthorityServer.Answer)] = [
            ("garbage", { connection, _ in Self.write("HTTP/1.1 200 OK\r\n\r\ngarbage", connection) }),
            ("missing", { connection, _ in Self.write("HTTP/1.1 404 Not Found\r\n\r\n", connection) }),
            (
                "loopback",
                { connection, _ in
                    Self.write("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n", connection)
                }
            ),
            (
                "endless",
                { connection, _ in
                    Self.write("HTTP/1.1 200 OK\r\n\r\n", connection)
                    while WebServer.write([UInt8](repeating: 0, count: 65536), to: connection) {}
                }
            ),
        ]
        for (name, answer) in answers {
            let scene = try Scene()
            scene.authority.set("/ocsp", answer)
            scene.authority.serve("/list") { nil }
            #expect(try scene.verify("ocsp") == Self.success, "\(name)")
            #expect(try scene.verify("ocsp", "crl", "require") != Self.success, "\(name)")
            // A server with an unusable answer is not asked again within a minute.
            #expect(scene.authority.asked == ["POST /ocsp", "GET /list"], "\(name)")
            let next = try Scene()
            next.authority.set("/ocsp", answer)
            #expect(try next.verify("ocsp", "crl", "require") == Self.success, "\(name)")
            #expect(next.authority.asked == ["POST /ocsp", "GET /list"], "\(name)")
        }
    }

    /// A silent server is waited for until its time is over.
    @Test func aSlowServerIsLeft() throws {
        guard Privilege.isThere() else { return }
        let scene = try Scene()
        scene.authority.set("/ocsp") { connection, _ in
            var byte: UInt8 = 0
            _ = read(connection, &byte, 1)
        }
        #expect(try scene.verify("ocsp") == Self.success)
        #expect(scene.authority.asked == ["POST /ocsp"])
    }

    @Test func anIssuerThatLacksIsFetched() throws {
        guard Privilege.isThere() else { return }
        let scene = try Scene()
        #expect(try scene.verify(sends: []) == Self.success)
        #expect(scene.authority.asked == ["GET /between"])
        let without = try Scene()
        without.authority.serve("/between") { nil }
        #expect(try without.verify(sends: []) != Self.success)
        // A foreign certificate from the server makes no chain to the anchor.
        let wrong = try Scene()
        let root = try Data(contentsOf: URL(fileURLWithPath: wrong.authority.path("root")))
        wrong.authority.serve("/between") { [UInt8](root) }
        #expect(try wrong.verify(sends: []) != Self.success)
    }

    /// Other verbs ask no server, so a server does not learn of a denial.
    @Test func noOtherVerbAsksServers() throws {
        guard Privilege.isThere() else { return }
        let scene = try Scene()
        let leaf = scene.authority.path("leaf")
        // Under the TLS policy, missing issuers are fetched unless the caller forbids it.
        #expect(try scene.tools.tool(["certificate", "show", "--policy", "ssl", leaf]).status == 0)
        let files = scene.authority.folder
        let bundle = try CommandRun([
            "openssl", "pkcs12", "-export", "-inkey", "\(files)/leaf.key", "-in", leaf, "-out", "\(files)/leaf.p12",
            "-passout", "pass:pw",
        ])
        try #require(bundle.exitStatus == 0, "\(bundle.errors)")
        chmod("\(files)/leaf.p12", 0o644)
        try scene.tools.require(["create-keychain", "-p", "pw", "own.keychain"])
        try scene.tools.require(["import", "\(files)/leaf.p12", "-k", "own.keychain", "-P", "pw"])
        let found = try scene.tools.tool(["find-identity", "-p", "ssl-server", "own.keychain"]).output
        #expect(found.contains { $0.contains("\"Leaf\"") }, "\(found)")
        let denied = try scene.tools.tool(["add-trusted-cert", "-r", "deny", leaf])
        #expect(denied.status == 0, "\(denied.output)")
        #expect(scene.authority.asked.isEmpty)
        // `verify-cert` fetches the issuer for the same certificate.
        let other = try Scene()
        #expect(try other.verify(sends: []) == Self.success)
        #expect(other.authority.asked == ["GET /between"])
    }

    @Test func rootSaysWhetherAnybodyIsAsked() throws {
        guard Privilege.isThere() else { return }
        let closed = try Scene(opensPort: false)
        #expect(try closed.verify("ocsp", "require") != Self.success)
        #expect(try closed.verify(sends: []) != Self.success)
        #expect(closed.authority.asked.isEmpty)
        let scene = try Scene()
        try scene.home.root("touch trust/no-fetching")
        #expect(try scene.verify("ocsp", "require") != Self.success)
        #expect(try scene.verify(sends: []) != Self.success)
        #expect(scene.authority.asked.isEmpty)
        // Any kind of file with this name forbids fetching.
        for command in ["head -c 5000 /dev/zero > no-fetching", "mkdir no-fetching", "ln -s nowhere no-fetching"] {
            try scene.home.root("cd trust && rm -r no-fetching && \(command)")
            #expect(try scene.verify(sends: []) != Self.success, "\(command)")
        }
        #expect(scene.authority.asked.isEmpty)
        // The file counts at once, and only if no other user could have written it.
        try scene.home.root("cd trust && rm no-fetching && touch no-fetching && chmod 666 no-fetching")
        #expect(try scene.verify(sends: []) == Self.success)
    }

    private static func write(_ text: String, _ connection: Int32) {
        WebServer.write([UInt8](text.utf8), to: connection)
    }
}
