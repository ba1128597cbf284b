import Foundation
import Synchronization
import TestSupport
import Testing

/// An authority on the web, made with `openssl`, that also answers OCSP requests.
///
/// It has a root, an intermediate and a server's certificate. That certificate names the test's web server for OCSP,
/// the issuer and the revocation list.
final class AuthorityServer: Sendable {
    typealias Answer = @Sendable (_ connection: Int32, _ request: [UInt8]) -> Void

    static let host = "server.example.com"
    let folder: String
    private let files: AuthorityFolder
    private let server: WebServer
    private let answers = Answers()

    init(in folder: String) throws {
        self.folder = folder
        files = AuthorityFolder(folder: folder)
        server = try WebServer(at: try #require(WebServer.ownAddress)) { [answers] in answers.answer($0, $1) }
        let base = "http://\(server.address):\(server.port)"
        try files.make("root", "/CN=Root", ["basicConstraints=critical,CA:TRUE"])
        try files.make("between", "/CN=Between", ["basicConstraints=critical,CA:TRUE"], by: "root")
        try files.make(
            "leaf", "/CN=Leaf",
            [
                "basicConstraints=critical,CA:FALSE", "extendedKeyUsage=serverAuth", "subjectAltName=DNS:\(Self.host)",
                "authorityInfoAccess=OCSP;URI:\(base)/ocsp,caIssuers;URI:\(base)/between",
                "crlDistributionPoints=URI:\(base)/list",
            ], by: "between")
        try files.run(["x509", "-in", "@between.pem", "-outform", "DER", "-out", "@between"])
        try files.write("number", "01\n")
        try setRevoked(false)
        serve("/between") { [files] in files.bytes("between") }
        serve("/ocsp") { [files] in files.response(to: $0) }
        serve("/list") { [files] in files.list() }
    }

    deinit { server.stop() }

    var port: UInt16 { server.port }
    /// The request lines that arrived, without the protocol.
    var asked: [String] {
        server.requests.compactMap { request in
            let line = request.prefix { $0 != UInt8(ascii: "\r") }
            return String(decoding: line, as: UTF8.self).components(separatedBy: " HTTP").first
        }
    }

    /// Answers a path with status 200 and these bytes, or with 404 where `content` returns nil.
    func serve(_ path: String, _ content: @escaping @Sendable () -> [UInt8]?) { serve(path) { _ in content() } }

    func serve(_ path: String, _ content: @escaping @Sendable (_ body: [UInt8]) -> [UInt8]?) {
        set(path) { connection, request in
            let body = request.firstRange(of: Array("\r\n\r\n".utf8)).map { Array(request[$0.upperBound...]) }
            let answer = content(body ?? [])
            let status = answer == nil ? "404 Not Found" : "200 OK"
            let head = "HTTP/1.1 \(status)\r\nContent-Length: \(answer?.count ?? 0)\r\nConnection: close\r\n\r\n"
            WebServer.write([UInt8](head.utf8) + (answer ?? []), to: connection)
        }
    }

    func set(_ path: String, _ answer: @escaping Answer) { answers.paths.withLock { $0[path] = answer } }

    func setRevoked(_ isRevoked: Bool) throws {
        let serial = try files.run(["x509", "-in", "@leaf.pem", "-noout", "-serial"]).replacing("serial=", with: "")
        let state = isRevoked ? "R\t350101000000Z\t260101000000Z" : "V\t350101000000Z\t"
        try files.write("index", "\(state)\t\(serial)\tunknown\t/CN=x\n")
    }

    func path(_ name: String) -> String { "\(folder)/\(name).pem" }
}

/// The answers that the server's thread looks up.
///
/// They are apart from the authority so that it can end while the thread runs.
private final class Answers: Sendable {
    let paths = Mutex<[String: AuthorityServer.Answer]>([:])

    func answer(_ connection: Int32, _ request: [UInt8]) {
        let path = String(decoding: request.prefix(256), as: UTF8.self).split(separator: " ").dropFirst().first
        paths.withLock { $0[path.map(String.init) ?? ""] }?(connection, request)
    }
}

/// The authority's files and `openssl`, in whose arguments `@` stands for the folder.
private struct AuthorityFolder: Sendable {
    let folder: String

    func bytes(_ name: String) -> [UInt8]? { (try? Data(contentsOf: place(name))).map { [UInt8]($0) } }

    func write(_ name: String, _ text: String) throws { try Data(text.utf8).write(to: place(name)) }

    func make(_ name: String, _ subject: String, _ extensions: [String], by issuer: String? = nil) throws {
        let signer = issuer.map { ["-CA", "@\($0).pem", "-CAkey", "@\($0).key"] } ?? []
        let words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90"]
        let names = ["-keyout", "@\(name).key", "-out", "@\(name).pem", "-subj", subject]
        try run(words + signer + names + extensions.flatMap { ["-addext", $0] })
    }

    /// The OCSP response, or nil if the bytes are no request.
    func response(to request: [UInt8]) -> [UInt8]? {
        do {
            try Data(request).write(to: place("request"))
            try run([
                "ocsp", "-index", "@index", "-CA", "@between.pem", "-rsigner", "@between.pem", "-rkey", "@between.key",
                "-reqin", "@request", "-respout", "@response", "-ndays", "7",
            ])
            return bytes("response")
        } catch { return nil }
    }

    func list() -> [UInt8]? {
        do {
            let text = "[ca]\ndefault_ca=d\n[d]\ndatabase=@index\ncrlnumber=@number\ndefault_md=sha256\n"
            try write("conf", expand(text))
            try run([
                "ca", "-gencrl", "-config", "@conf", "-cert", "@between.pem", "-keyfile", "@between.key", "-crldays",
                "7", "-out", "@list.pem",
            ])
            try run(["crl", "-in", "@list.pem", "-outform", "DER", "-out", "@list"])
            return bytes("list")
        } catch { return nil }
    }

    @discardableResult func run(_ words: [String]) throws -> String {
        let run = try CommandRun(["openssl"] + words.map(expand))
        guard run.exitStatus == 0 else { throw Failure(words: words, errors: run.errors) }
        return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func place(_ name: String) -> URL { URL(fileURLWithPath: "\(folder)/\(name)") }

    private func expand(_ text: String) -> String { text.replacingOccurrences(of: "@", with: folder + "/") }

    private struct Failure: Error {
        let words: [String]
        let errors: String
    }
}
