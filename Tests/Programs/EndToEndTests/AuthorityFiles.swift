import Crypto
import Foundation
import TestSupport
import Testing

/// A company's root and a server's certificate that it issued, made with `openssl` as an administrator makes them.
struct AuthorityFiles {
    static let host = "server.example.com"
    let folder: String

    init(in folder: String, of name: String = "Example Root") throws {
        self.folder = folder
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "@root.key",
            "-out",
            "@root.pem", "-subj", "/O=Example/CN=\(name)", "-days", "400", "-addext", "keyUsage=critical,keyCertSign")
        try openssl(
            "req", "-x509", "-CA", "@root.pem", "-CAkey", "@root.key", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:P-256", "-nodes", "-keyout", "@leaf.key", "-out", "@leaf.pem", "-subj", "/CN=leaf",
            "-days",
            "90", "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "subjectAltName=DNS:\(Self.host)",
            "-addext",
            "extendedKeyUsage=serverAuth")
    }

    private func openssl(_ words: String...) throws { try openssl(words) }

    private func openssl(_ words: [String]) throws {
        let run = try CommandRun(["openssl"] + words.map { $0.replacingOccurrences(of: "@", with: folder + "/") })
        try #require(run.exitStatus == 0, "\(run.errors)")
    }

    /// Makes an intermediate issuer under the root, and a certificate that the intermediate issued.
    func chain() throws -> (leaf: String, issuer: String) {
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90"]
        for (name, subject, issuer, constraint) in [
            ("between", "Between", "root", "CA:TRUE"), ("below", "below", "between", "CA:FALSE"),
        ] {
            let words = [
                "req", "-x509", "-CA", "@\(issuer).pem", "-CAkey", "@\(issuer).key", "-keyout", "@\(name).key",
            ]
            try openssl(
                words + ["-out", "@\(name).pem", "-subj", "/CN=\(subject)"] + curve
                    + ["-addext", "basicConstraints=critical,\(constraint)"])
        }
        return ("below", "between")
    }

    /// Makes an authority under the root with the given subject, whose certificate has slightly more than `bytes`
    /// bytes.
    func large(_ name: String, subject: String, bytes: Int) throws {
        try openssl([
            "req", "-x509", "-CA", "@root.pem", "-CAkey", "@root.key", "-keyout", "@\(name).key", "-out",
            "@\(name).pem",
            "-subj", "/CN=\(subject)", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90",
            "-addext", "1.2.3.4=ASN1:UTF8String:" + String(repeating: "x", count: bytes),
        ])
    }

    /// Makes a file of `count` unsigned certificates that differ from the named one in their serial numbers alone.
    func copies(of name: String, count: Int, in file: String) throws {
        let der = try #require(Data(base64Encoded: try certificate(name)))
        // The version comes before the serial number and has its own tag.
        let version = try #require(der.range(of: Data([0xA0, 0x03, 0x02, 0x01, 0x02, 0x02])))
        let last = version.upperBound + Int(der[version.upperBound])
        let blocks = (0..<count).map { number in
            var copy = der
            (copy[last - 1], copy[last]) = (UInt8(number >> 8), UInt8(number & 0xFF))
            return "-----BEGIN CERTIFICATE-----\n"
                + copy.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
                + "\n-----END CERTIFICATE-----\n"
        }
        try blocks.joined().write(toFile: path(file), atomically: true, encoding: .utf8)
    }

    /// Makes a PKCS#12 file with a certificate and its key under `password`.
    func pkcs12(_ name: String) throws {
        try openssl([
            "pkcs12", "-export", "-in", "@\(name).pem", "-inkey", "@\(name).key", "-out", "@\(name).p12", "-passout",
            "pass:password",
        ])
        // The household's user has to read the file, whoever made it.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: "\(folder)/\(name).p12")
    }

    func path(_ name: String) -> String { "\(folder)/\(name).pem" }

    /// The SHA-1 digest of the certificate, in the form that property lists of trust settings use.
    func digest(_ name: String) throws -> String {
        let data = try #require(Data(base64Encoded: try certificate(name)))
        return Insecure.SHA1.hash(data: data).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined().uppercased()
    }

    /// The certificate in DER as Base64, the form that the probe takes.
    func certificate(_ name: String) throws -> String {
        let text = try String(contentsOfFile: path(name), encoding: .utf8)
        return text.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
    }
}
