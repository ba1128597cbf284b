import ChatelaineIPC
import FetchProtocol
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the process that asks servers: one question, one answer, and only where a stranger's certificate may lead.
@Suite(.enabled(if: WebServer.ownAddress != nil, "there is no network, and fetchd does not ask the loopback"))
struct FetchdTests {
    private let address = WebServer.ownAddress ?? ""

    /// Asks a question as if an administrator had named the port of the test's server.
    private func ask(
        _ server: WebServer, path: String = "", body: [UInt8]? = nil, seconds: Int = FetchLimits.maximumSeconds
    ) throws -> FetchReply {
        try FetchdRun().ask(
            try #require(
                FetchRequest(url: server.url + path, body: body, seconds: seconds, ports: [server.port])))
    }

    private func server(_ answer: String) throws -> WebServer {
        try WebServer(at: address) { connection, _ in WebServer.write([UInt8](answer.utf8), to: connection) }
    }

    @Test func itGetsAndEnds() throws {
        let server = try server("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlist")
        defer { server.stop() }
        let run = try FetchdRun()
        #expect(
            try run.ask(try #require(FetchRequest(url: server.url, ports: [server.port])))
                == .content([UInt8]("list".utf8)))
        #expect(run.process.wait() == .exited(0))
        let request = String(decoding: try #require(server.requests.first), as: UTF8.self)
        #expect(request.hasPrefix("GET / HTTP/1.1\r\n"))
        for header in ["Cookie", "Authorization", "User-Agent", "Referer"] { #expect(!request.contains(header)) }
    }

    @Test func itPosts() throws {
        let server = try server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        defer { server.stop() }
        #expect(try ask(server, body: [UInt8]("question".utf8)) == .content([]))
        let request = String(decoding: try #require(server.requests.first), as: UTF8.self)
        #expect(request.hasPrefix("POST / HTTP/1.1\r\n") && request.hasSuffix("\r\n\r\nquestion"))
        #expect(request.contains("Content-Type: application/ocsp-request\r\n"))
    }

    @Test(arguments: [
        ("HTTP/1.1 204 No Content\r\n\r\n", .refusedByServer),
        ("HTTP/1.1 302 Found\r\nContent-Length: 5\r\n\r\nempty", .refusedByServer),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", FetchFailure.refusedByServer),
        ("HTTP/1.1 302 Found\r\nLocation: https://192.0.2.1/\r\nContent-Length: 0\r\n\r\n", .refusedRedirect),
        ("HTTP/1.1 302 Found\r\nLocation: file:///etc/hosts\r\nContent-Length: 0\r\n\r\n", .refusedRedirect),
        ("HTTP/1.1 302 Found\r\nLocation: http://me:secret@192.0.2.1/\r\nContent-Length: 0\r\n\r\n", .refusedRedirect),
        ("HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1:22/\r\nContent-Length: 0\r\n\r\n", .refusedPort),
        ("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", .refusedRedirect),
        ("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", .refusedAddress),
        ("HTTP/1.1 302 Found\r\nLocation: http://localhost:1/\r\nContent-Length: 0\r\n\r\n", .refusedAddress),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", .tooLarge),
        ("garbage\r\n\r\n", .unreachable),
        ("", .unreachable),
    ]) func itTellsWhy(_ answer: String, _ failure: FetchFailure) throws {
        let server = try server(answer)
        defer { server.stop() }
        #expect(try ask(server) == .failure(failure))
    }

    @Test func anEndlessBodyIsCutOff() throws {
        let server = try WebServer(at: address) { connection, _ in
            WebServer.write([UInt8]("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8), to: connection)
            let piece = [UInt8](repeating: 0, count: 64 * 1024)
            while WebServer.write(piece, to: connection) {}
        }
        defer { server.stop() }
        #expect(try ask(server) == .failure(.tooLarge))
    }

    /// An endless head is cut off too, in one response or in many.
    @Test(arguments: [
        "X-Long: " + String(repeating: "x", count: 1000) + "\r\n", "\r\nHTTP/1.1 100 Continue\r\nX: y\r\n",
    ])
    func anEndlessHeadIsCutOff(_ piece: String) throws {
        let server = try WebServer(at: address) { connection, _ in
            WebServer.write([UInt8]("HTTP/1.1 100 Continue\r\n".utf8), to: connection)
            while WebServer.write([UInt8](piece.utf8), to: connection) {}
        }
        defer { server.stop() }
        #expect(try ask(server) == .failure(.tooLarge))
    }

    /// fetchd does not decompress a compressed body.
    @Test func contentIsWhatCame() throws {
        let server = try server(
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nSet-Cookie: a=b\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        )
        defer { server.stop() }
        #expect(try ask(server) == .content([UInt8]("abc".utf8)))
    }

    /// fetchd follows a redirect with the same method.
    @Test func itFollowsRedirects() throws {
        let server = try WebServer(at: address) { connection, request in
            let isFirst = request.starts(with: [UInt8]("POST / ".utf8))
            let answer =
                isFirst
                ? "HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            WebServer.write([UInt8](answer.utf8), to: connection)
        }
        defer { server.stop() }
        #expect(try ask(server, body: [1]) == .content([UInt8]("ok".utf8)))
        #expect(server.requests.count == 2)
        #expect(server.requests.last?.starts(with: [UInt8]("POST /other ".utf8)) == true)
    }

    /// A question makes at most one request more than the redirects that may be followed.
    @Test func redirectsAreCounted() throws {
        let server = try server(
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: /again\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        defer { server.stop() }
        #expect(try ask(server, body: [1]) == .failure(.refusedRedirect))
        #expect(server.requests.count == FetchLimits.maximumRedirects + 1)
        #expect(server.requests.allSatisfy { $0.starts(with: [UInt8]("POST ".utf8)) })
    }

    /// The server runs, but gets no request.
    @Test func otherPortsAreNotAsked() throws {
        let server = try server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        defer { server.stop() }
        #expect(
            try FetchdRun().ask(try #require(FetchRequest(url: server.url, ports: [80, 8080, 0])))
                == .failure(.refusedPort))
        #expect(server.requests.isEmpty)
    }

    @Test func nobodyElsesNameIsSent() throws {
        let server = try server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        defer { server.stop() }
        let url = server.url.replacing("http://", with: "http://me:secret@")
        #expect(
            try FetchdRun().ask(try #require(FetchRequest(url: url, ports: [server.port])))
                == .failure(.unsuitableURL))
        #expect(server.requests.isEmpty)
    }

    /// Proxies and passwords in the environment or in a user's file count for nothing.
    @Test func theEnvironmentSaysNothing() throws {
        let server = try server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        defer { server.stop() }
        let run = try FetchdRun(environment: ["http_proxy=http://192.0.2.1:9", "ALL_PROXY=http://192.0.2.1:9"])
        #expect(
            try run.ask(try #require(FetchRequest(url: server.url, ports: [server.port])))
                == .content([UInt8]("ok".utf8)))
    }

    /// The server stays silent until the other side has gone.
    @Test func aSilentServerIsLeft() throws {
        let server = try WebServer(at: address) { connection, _ in
            var byte: UInt8 = 0
            _ = read(connection, &byte, 1)
        }
        defer { server.stop() }
        #expect(try ask(server, seconds: 1) == .failure(.timedOut))
    }

    /// Nothing listens at these addresses.
    ///
    /// The refusal, rather than a failed connection, shows that fetchd did not try.
    @Test(arguments: [
        "127.0.0.1", "127.9.9.9", "localhost", "0.0.0.0", "169.254.169.254", "224.0.0.1", "255.255.255.255", "[::1]",
        "[::]", "[fe80::1]", "[ff02::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "2130706433",
        "0x7f.1", "0", "[fd00:ec2::254]", "[fd00:ec2::23]", "[fd20:ce::254]", "100.100.100.200", "168.63.129.16",
        "[fd00:42::42]", "[fd00:a9fe:a9fe::1]", "[fd00:c1::a9fe:a9fe]", "[fd00:100::100:200]", "[2001::8000:1]",
        "192.0.0.192", "[64:ff9b:1::1]", "[::ffff:0:127.0.0.1]", "[::ffff:0:a9fe:a9fe]", "[::ffff:100.100.100.200]",
    ]) func itDoesNotAskThisMachine(_ host: String) throws {
        let request = try #require(FetchRequest(url: "http://\(host):1/", ports: [1]))
        #expect(try FetchdRun().ask(request) == .failure(.refusedAddress))
    }

    @Test func onlyHTTPIsAsked() {
        for url in ["https://a/", "file:///etc/hosts", "ldap://a/", "", "http://a b/", "http://a/\r\nX: y"] {
            #expect(FetchRequest(url: url) == nil)
        }
        #expect(FetchRequest(url: "http://a/") != nil)
        let long = "http://" + String(repeating: "a", count: FetchLimits.maximumURLBytes)
        #expect(FetchRequest(url: long) == nil)
        let large = [UInt8](repeating: 0, count: FetchLimits.maximumBodyBytes + 1)
        #expect(FetchRequest(url: "http://a/", body: large) == nil)
        #expect(FetchRequest(url: "http://a/", body: []) == nil)
        #expect(FetchRequest(url: "http://a/", seconds: FetchLimits.maximumSeconds + 1) == nil)
        #expect(FetchRequest(url: "http://a/", ports: []) == nil)
    }

    @Test func nobodyKnowsThatName() throws {
        let request = try #require(FetchRequest(url: "http://nobody.invalid/", seconds: 2))
        guard case .failure(let failure) = try FetchdRun().ask(request) else {
            Issue.record("somebody has an address for nobody.invalid")
            return
        }
        // If no name server answers, the time runs out.
        #expect([.unknownHost, .timedOut].contains(failure))
    }

    @Test func itIsShutInBeforeItIsAsked() throws {
        let run = try FetchdRun()
        try run.status.waitUntilShutIn()
        #expect(run.status.fact("NoNewPrivs") == "1" && run.status.fact("CapEff") == "0000000000000000")
        let limits = String(decoding: TemporaryFolder.read("/proc/\(run.process.pid)/limits"), as: UTF8.self)
        for limit in ["Max cpu time", "Max core file size", "Max data size"] {
            let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix(limit) })
            #expect(!line.contains("unlimited"), "\(line)")
        }
        #expect(TemporaryFolder.names(in: "/proc/\(run.process.pid)/fd") == ["0", "1", "2", "3"])
        run.sendRaw([UInt8](repeating: 0xFF, count: 64))
        #expect(run.process.wait() == .exited(1))
    }

    @Test func nonsenseHasNoAnswer() throws {
        for bytes: [UInt8] in [
            [0xFF, 0xFF, 0xFF, 0xFF], [4, 0, 0, 0, 1, 2, 3, 4], [1, 0, 0, 0, 0xA0], [0, 0, 0, 0],
        ] {
            let run = try FetchdRun()
            run.sendRaw(bytes)
            #expect(throws: FrameError.self) { try run.reply() }
            #expect(run.process.wait() == .exited(1))
        }
    }

    @Test func nobodyElseStartsIt() throws {
        let program = BuildFolder.program("fetchd")
        #expect(try CommandRun([program]).exitStatus == 2)
        #expect(try CommandRun([program, "--nonsense"]).exitStatus == 2)
        #expect(try CommandRun([program, "--version"]).output.hasPrefix("fetchd (Chatelaine), protocol 1"))
        #expect(try CommandRun([program, "--help"]).output.hasPrefix("Usage: fetchd"))
    }
}
