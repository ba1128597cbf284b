import Crypto
import Foundation
import TestSupport
import Testing

/// A household in a namespace with its own `/etc/chatelaine`, in which the test is root.
///
/// Needs root.
final class RootedHousehold {
    static let folder = "/etc/chatelaine"
    static let missingEntitlement = -34018

    let bus: BusHousehold
    /// The developers of a team that nobody trusts yet.
    let developers: Developers

    init(user: uid_t) throws {
        bus = try BusHousehold(user: user, startsDaemon: false)
        developers = try Developers(in: bus)
        try root(
            "mkdir /run/etc && cp -a /etc/. /run/etc && mount --bind /run/etc /etc && rm -rf \(Self.folder) && mkdir -p \(Self.folder)/teams"
        )
        try developers.makeTeam()
    }

    /// Runs a script as root with these words.
    func root(_ script: String, _ words: String...) throws {
        let program = try bus.program(
            ["sh", "-c", "umask 022; cd \(Self.folder) 2>/dev/null; \(script)", "sh"] + words)
        try #require(try program.finish() == 0, "\(script)")
    }

    func write(_ text: String, to name: String) throws { try root("printf '%s' \"$1\" >\"$2\"", text, name) }

    /// Makes the certificate in a file root's anchor for a team.
    func trust(_ file: String? = nil, as team: String = Developers.team) throws {
        try root("cp \"$1\" \"teams/$2.pem\"", file ?? developers.anchor(), team)
    }

    /// Waits until a running program gets the status that follows from root's change.
    func wait(_ program: ProbeProcess, toGet status: Int) throws {
        try bus.wait(for: "status \(status)") { try program.find("ada").status == status }
    }

    /// Expects that the running program is soon refused, that a new process is refused too, and that the tool tells the
    /// reason.
    func expectRefusal(
        _ running: ProbeProcess, _ name: String, _ reason: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        try wait(running, toGet: Self.missingEntitlement)
        #expect(try running.add("evil", "x") == Self.missingEntitlement, sourceLocation: location)
        let next = try bus.probe(name)
        #expect(try next.find("ada").status == Self.missingEntitlement, sourceLocation: location)
        let shown = try developers.shown(name)
        #expect(shown.contains("is refused") && shown.contains(reason), "\(shown)", sourceLocation: location)
        #expect(
            try developers.tool(["app", "verify", developers.path(name)]).status == 1, sourceLocation: location)
    }

    // MARK: Digests, as `revoked` names them

    func digest(of name: String) throws -> String {
        let (_, output) = try developers.tool(["app", "show", "--json", developers.path(name)])
        let object = try JSONSerialization.jsonObject(with: Data(output.joined().utf8)) as? [String: Any]
        return try #require(object?["sha256"] as? String)
    }

    /// The digests of a file's certificates, in their order.
    static func certificates(in file: String) throws -> [String] {
        try blocks(in: file).filter { $0.contains("BEGIN CERTIFICATE") }.map { block in
            let lines = block.split(separator: "\n").filter { !$0.hasPrefix("-----") }
            return hexadecimal(SHA256.hash(data: try #require(Data(base64Encoded: lines.joined()))))
        }
    }

    /// The digest of the public key that belongs to a file's private key.
    static func key(in file: String) throws -> String {
        let block = try #require(try blocks(in: file).first { $0.contains("PRIVATE KEY") })
        let key = try P256.Signing.PrivateKey(pemRepresentation: block)
        return hexadecimal(SHA256.hash(data: key.publicKey.derRepresentation))
    }

    private static func blocks(in file: String) throws -> [String] {
        try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "\n-----BEGIN").enumerated()
            .map { $0.offset == 0 ? $0.element : "-----BEGIN" + $0.element }
    }

    private static func hexadecimal(_ digest: SHA256Digest) -> String {
        digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
