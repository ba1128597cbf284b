import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import KeyFormats

/// Keys and certificates written by this machine's OpenSSL and OpenSSH commands are read (behaviour/import-export.md).
struct ForeignKeyTests {
    private let files: FormatCase

    init() throws { files = try FormatCase() }

    private static let kinds = [
        "RSA -pkeyopt rsa_keygen_bits:2048", "EC -pkeyopt ec_paramgen_curve:P-256",
        "EC -pkeyopt ec_paramgen_curve:P-384",
        "EC -pkeyopt ec_paramgen_curve:P-521", "ED25519", "X25519",
    ]

    /// The only key of a file, which must have that format.
    private func key(
        _ name: String, _ format: ExternalFormat, passphrase: String? = nil
    ) throws -> CryptographicKey {
        let content = try files.read(name, passphrase: passphrase)
        #expect(content.format == format && content.items.count == 1, "\(name)")
        return try #require(content.items.first).key()
    }

    private func bytes(_ key: CryptographicKey) throws -> [UInt8] {
        try key.privateRepresentation().withUnsafeBytes { [UInt8]($0) }
    }

    /// PKCS#8, unencrypted and encrypted, and the public key, in DER and PEM.
    @Test(arguments: kinds) func everyFormOfAKeyIsTheSameKey(_ kind: String) throws {
        try files.openssl("genpkey -algorithm \(kind) -out @key.pem")
        let key = try key("key.pem", .openSSL)
        #expect(key.isPrivate)
        let secret = try bytes(key)
        try files.openssl("pkcs8 -topk8 -nocrypt -in @key.pem -outform DER -out @key.der")
        #expect(try bytes(self.key("key.der", .openSSL)) == secret)
        for (number, way) in ["-v2 aes-256-cbc", "-v2 des3 -v2prf hmacWithSHA1", "-scrypt", "-v1 PBE-SHA1-3DES"]
            .enumerated()
        {
            for form in ["PEM", "DER"] {
                let name = "wrapped-\(number).\(form)"
                try files.openssl(
                    "pkcs8 -topk8 \(way) -passout pass:secret -in @key.pem -outform \(form) -out @\(name)")
                #expect(try bytes(self.key(name, .wrappedPKCS8, passphrase: "secret")) == secret, "\(way)")
                #expect(throws: FormatFailure.wrongPassphrase) { try files.read(name, passphrase: "Secret") }
                #expect(throws: FormatFailure.passphraseRequired) { try files.read(name) }
            }
        }
        for form in ["PEM", "DER"] {
            try files.openssl("pkey -in @key.pem -pubout -outform \(form) -out @public.\(form)")
            let other = try self.key("public.\(form)", .openSSL)
            #expect(try !other.isPrivate && other.publicRepresentation() == key.publicRepresentation())
        }
    }

    /// PKCS#1 and SEC 1, and PEM with a header that encrypts it.
    @Test(arguments: kinds.prefix(4)) func traditionalForms(_ kind: String) throws {
        try files.openssl("genpkey -algorithm \(kind) -out @key.pem")
        let secret = try bytes(key("key.pem", .openSSL))
        for form in ["PEM", "DER"] {
            try files.openssl("pkey -traditional -in @key.pem -outform \(form) -out @old.\(form)")
            #expect(try bytes(key("old.\(form)", .openSSL)) == secret)
        }
        for cipher in ["aes256", "des3", "camellia128"] {
            try files.openssl("pkey -traditional -\(cipher) -passout pass:secret -in @key.pem -out @wrapped.pem")
            #expect(try bytes(key("wrapped.pem", .wrappedOpenSSL, passphrase: "secret")) == secret)
            for wrong in (0..<20).map({ "wrong \($0)" }) {
                #expect(throws: FormatFailure.wrongPassphrase) { try files.read("wrapped.pem", passphrase: wrong) }
            }
            #expect(throws: FormatFailure.passphraseRequired) { try files.read("wrapped.pem") }
        }
    }

    @Test func thePublicKeyOfPKCS1() throws {
        try files.openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out @key.pem")
        for form in ["PEM", "DER"] {
            try files.openssl("rsa -in @key.pem -RSAPublicKey_out -outform \(form) -out @public.\(form)")
            #expect(
                try key("public.\(form)", .openSSL).publicRepresentation()
                    == key("key.pem", .openSSL).publicRepresentation())
        }
    }

    /// A compressed point, and a key without its point, give the same key.
    @Test func otherFormsOfCurves() throws {
        try files.openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out @key.pem")
        let secret = try bytes(key("key.pem", .openSSL))
        try files.openssl("ec -in @key.pem -conv_form compressed -out @compressed.pem")
        try files.openssl("ec -in @key.pem -no_public -out @alone.pem")
        #expect(try bytes(key("compressed.pem", .openSSL)) == secret && bytes(key("alone.pem", .openSSL)) == secret)
    }

    @Test(arguments: [
        "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1", "genpkey -algorithm ED448",
        "genrsa -traditional 512", "genpkey -algorithm RSA-PSS",
    ])
    func otherKeysAreRefusedByName(_ command: String) throws {
        try files.openssl(
            "\(command.split(separator: " ")[0]) -out @key.pem \(command.split(separator: " ").dropFirst().joined(separator: " "))"
        )
        #expect(throws: FormatFailure.unsupportedKey) { try files.read("key.pem") }
    }

    @Test func certificatesAndBundles() throws {
        try files.openssl("req -x509 -newkey rsa:2048 -nodes -keyout @key.pem -out @one.pem -subj /CN=one")
        try files.openssl("req -x509 -newkey rsa:2048 -nodes -keyout @other.pem -out @two.pem -subj /CN=two")
        try files.openssl("x509 -in @one.pem -outform DER -out @one.der")
        let der = try files.bytes("one.der")
        for name in ["one.pem", "one.der"] {
            let content = try files.read(name)
            #expect(content.format == .x509 && content.kind == .certificate)
            #expect(content.items.first?.certificate?.der == der)
        }
        try files.openssl("x509 -in @one.pem -trustout -out @trusted.pem")
        #expect(try files.read("trusted.pem").items.first?.certificate?.der == der)
        try files.openssl("x509 -in @one.pem -text -out @text.pem")
        #expect(try files.read("text.pem").items.first?.certificate?.der == der)
        for form in ["PEM", "DER"] {
            try files.openssl(
                "crl2pkcs7 -nocrl -certfile @one.pem -certfile @two.pem -outform \(form) -out @bundle.\(form)")
            let content = try files.read("bundle.\(form)")
            #expect(content.format == .pkcs7 && content.kind == .aggregate && content.items.count == 2)
            #expect(content.items.first?.certificate?.der == der)
        }
        let sequence = try files.bytes("one.pem") + files.bytes("key.pem") + files.bytes("two.pem")
        let content = try FormatCase.read(sequence)
        #expect(content.format == .pemSequence && content.kind == .aggregate)
        #expect(content.items.map(\.kind) == [.certificate, .privateKey, .certificate])
        #expect(try content.items[0].certificate?.key == content.items[1].key().publicRepresentation())
        // Blocks that are neither key nor certificate are skipped beside others, and alone are no format.
        try files.openssl("ecparam -name prime256v1 -out @parameters.pem")
        #expect(try FormatCase.read(files.bytes("parameters.pem") + files.bytes("one.pem")).format == .x509)
        #expect(throws: FormatFailure.unknownFormat) { try files.read("parameters.pem") }
    }

    // MARK: OpenSSH

    private static let sshKinds = ["rsa -b 2048", "ecdsa -b 256", "ecdsa -b 384", "ecdsa -b 521", "ed25519"]
    private static let hasKeygen = (try? CommandRun(["/usr/bin/env", "ssh-keygen", "-?"]))?.exitStatus != 127

    @Test(.enabled(if: hasKeygen, "optional: ssh-keygen is not here"), arguments: sshKinds)
    func keysOfOpenSSH(_ kind: String) throws {
        try files.run("ssh-keygen", "-q -t \(kind) -N ~ -C comment -f @id")
        let content = try files.read("id")
        #expect(content.format == .openSSH && content.kind == .privateKey && content.items.first?.label == "comment")
        let key = try #require(content.items.first).key()
        let other = try files.read("id.pub")
        #expect(other.format == .openSSH && other.kind == .publicKey && other.items.first?.label == "comment")
        #expect(try other.items.first?.key().publicRepresentation() == key.publicRepresentation())
        let written = try FormatWriter.write(ExternalOrder(other.items, format: .openSSH))
        #expect(try written.withUnsafeBytes { [UInt8]($0) } == files.bytes("id.pub"))
        if !kind.hasPrefix("ed") {
            // OpenSSH's own PEM is the second opinion about its private form.
            try files.run("ssh-keygen", "-q -p -N ~ -m PKCS8 -f @id")
            #expect(try bytes(self.key("id", .openSSL)) == bytes(key))
        }
        #expect(try FormatCase.read(files.bytes("id.pub") + files.bytes("id.pub")).items.count == 2)
    }

    private static let sshCiphers = [
        "aes256-ctr", "aes192-ctr", "aes128-ctr", "aes256-cbc", "aes192-cbc", "aes128-cbc",
    ]

    @Test(.enabled(if: hasKeygen, "optional: ssh-keygen is not here"), arguments: sshKinds)
    func keysOfOpenSSHWithAPassphrase(_ kind: String) throws {
        try files.run("ssh-keygen", "-q -t \(kind) -N s3cret -a 3 -C comment -f @id")
        let content = try files.read("id", passphrase: "s3cret")
        #expect(content.items.count == 1 && content.items.first?.label == "comment")
        let key = try #require(content.items.first).key()
        #expect(try files.read("id.pub").items.first?.key().publicRepresentation() == key.publicRepresentation())
        #expect(throws: FormatFailure.passphraseRequired) { try files.read("id") }
        for wrong in ["", "S3cret", "s3cret "] {
            #expect(throws: FormatFailure.wrongPassphrase) { try files.read("id", passphrase: wrong) }
        }
    }

    @Test(.enabled(if: hasKeygen, "optional: ssh-keygen is not here"), arguments: sshCiphers)
    func ciphersOfOpenSSH(_ cipher: String) throws {
        try files.run("ssh-keygen", "-q -t ed25519 -Z \(cipher) -N pass -a 1 -f @id")
        let key = try #require(files.read("id", passphrase: "pass").items.first).key()
        #expect(try files.read("id.pub").items.first?.key().publicRepresentation() == key.publicRepresentation())
        #expect(throws: FormatFailure.wrongPassphrase) { try files.read("id", passphrase: "other") }
        // Any change leads to an error, or to a valid key.
        let lines = String(decoding: try files.bytes("id"), as: UTF8.self).split(separator: "\n")
        let body = try #require(Data(base64Encoded: lines.dropFirst().dropLast().joined()))
        for place in stride(from: 0, to: body.count, by: 29) {
            var changed = body
            changed[place] ^= 0x41
            let text = "\(lines[0])\n\(changed.base64EncodedString())\n\(lines[lines.count - 1])\n"
            let read = try? FormatCase.read(Array(text.utf8), passphrase: "pass")
            // Without a tag, neither a comment nor an unencrypted public half is authenticated.
            if let item = read?.items.first { #expect(throws: Never.self) { try item.key() } }
        }
    }

    @Test(.enabled(if: hasKeygen, "optional: ssh-keygen is not here"))
    func anotherCipherAndTooManyRounds() throws {
        // The authenticated ciphers append a tag to the encrypted part.
        //
        // Their names contain `@`, which stands for the folder in command lines here.
        for (number, cipher) in ["aes256-gcm@openssh.com", "chacha20-poly1305@openssh.com", "3des-cbc"].enumerated() {
            let made = try CommandRun([
                "/usr/bin/env", "ssh-keygen", "-q", "-t", "ed25519", "-Z", cipher, "-N", "secret", "-a", "1", "-f",
                files.folder("foreign\(number)"),
            ])
            #expect(made.exitStatus == 0, "\(cipher): \(made.errors)")
            for passphrase in [nil, "secret"] {
                #expect(throws: FormatFailure.unsupportedEncryption) {
                    try files.read("foreign\(number)", passphrase: passphrase)
                }
            }
        }
        try files.run("ssh-keygen", "-q -t ed25519 -N pass -a 1 -f @other")
        let lines = String(decoding: try files.bytes("other"), as: UTF8.self).split(separator: "\n")
        var body = try #require(Data(base64Encoded: lines.dropFirst().dropLast().joined()))
        var foreign = body
        let cipher = try #require(body.range(of: Data("aes256-ctr".utf8)))
        foreign.replaceSubrange(cipher, with: Data("aes999-ctr".utf8))
        let text = "\(lines[0])\n\(foreign.base64EncodedString())\n\(lines[lines.count - 1])\n"
        #expect(throws: FormatFailure.unsupportedEncryption) {
            try FormatCase.read(Array(text.utf8), passphrase: "pass")
        }
        let salt = try #require(body.range(of: Data([0, 0, 0, 24, 0, 0, 0, 16])))
        for (rounds, failure) in [
            (0, FormatFailure.damaged), (1025, .tooManyIterations), (255 << 24, .tooManyIterations),
        ] {
            withUnsafeBytes(of: UInt32(rounds).bigEndian) {
                body.replaceSubrange((salt.upperBound + 16)..<(salt.upperBound + 20), with: $0)
            }
            let text = "\(lines[0])\n\(body.base64EncodedString())\n\(lines[lines.count - 1])\n"
            #expect(throws: failure) { try FormatCase.read(Array(text.utf8), passphrase: "pass") }
        }
    }
}
