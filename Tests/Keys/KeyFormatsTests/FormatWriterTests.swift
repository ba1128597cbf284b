import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import Testing

@testable import KeyFormats

/// OpenSSL's command reads the files that we write (behaviour/import-export.md).
struct FormatWriterTests {
    private let files: FormatCase

    init() throws { files = try FormatCase() }

    private static let kinds: [(KeyKind, Int)] = [
        (.rsa, 2048), (.ec, 256), (.ec, 384), (.ec, 521), (.ed25519, 256), (.x25519, 256),
    ]

    private func item(_ kind: KeyKind, _ bits: Int, isPrivate: Bool = true) throws -> ExternalItem {
        let key = try CryptographicKey.generate(kind, bits: bits)
        return ExternalItem(
            isPrivate
                ? .privateKey(kind, try key.privateRepresentation()) : .publicKey(kind, try key.publicRepresentation()))
    }

    private func write(
        _ items: [ExternalItem], _ format: ExternalFormat, isArmoured: Bool = false, passphrase: String? = nil
    ) throws(FormatFailure) -> SecretBytes {
        try FormatWriter.write(
            ExternalOrder(
                items, format: format, isArmoured: isArmoured, passphrase: passphrase.map { SecretBytes($0.utf8) }))
    }

    /// OpenSSL and our reader both get the same key.
    @Test(arguments: kinds) func privateKeys(_ kind: KeyKind, _ bits: Int) throws {
        let item = try item(kind, bits)
        let ways: [(ExternalFormat, String?)] = [
            (.openSSL, nil), (.wrappedPKCS8, nil), (.wrappedPKCS8, "secret"), (.wrappedOpenSSL, "s\u{E4}cret"),
            (.unknown, nil), (.bsafe, nil),
        ]
        for (format, passphrase) in ways {
            // Deriving a key takes a while, and is the same for text.
            for isArmoured in passphrase == nil ? [true, false] : [format == .wrappedOpenSSL] {
                let written = try write([item], format, isArmoured: isArmoured, passphrase: passphrase)
                try files.put(written, "key")
                #expect(try files.read("key", passphrase: passphrase).items == [item], "\(format) \(isArmoured)")
                let password = passphrase.map { "-passin pass:\($0)" } ?? "-passin pass:"
                try files.openssl(
                    "pkey -in @key -inform \(isArmoured ? "PEM" : "DER") \(password) -pubout -out @public")
                #expect(
                    try files.read("public").items.first?.key().publicRepresentation()
                        == item.key().publicRepresentation())
            }
        }
    }

    @Test(arguments: kinds) func publicKeys(_ kind: KeyKind, _ bits: Int) throws {
        let item = try item(kind, bits, isPrivate: false)
        for isArmoured in [true, false] {
            try files.put(try write([item], .openSSL, isArmoured: isArmoured), "key")
            #expect(try files.read("key").items == [item])
            try files.openssl("pkey -pubin -in @key -inform \(isArmoured ? "PEM" : "DER") -noout")
        }
    }

    /// PKCS#1 has no other public keys than RSA.
    @Test func publicKeysOfRSAInPKCS1() throws {
        let item = try item(.rsa, 2048, isPrivate: false)
        for isArmoured in [true, false] {
            try files.put(try write([item], .bsafe, isArmoured: isArmoured), "key")
            #expect(try files.read("key").items == [item])
            try files.openssl("rsa -RSAPublicKey_in -in @key -inform \(isArmoured ? "PEM" : "DER") -noout")
        }
        let curve = try self.item(.ec, 256, isPrivate: false)
        #expect(throws: FormatFailure.unsuitableItems) { try write([curve], .bsafe) }
    }

    @Test func bundles() throws {
        let content = try FormatCase.read(try FormatCase.fixture("modern.p12"), passphrase: "password")
        let certificates = content.items.filter { $0.kind == .certificate }
        let seven = try write(certificates, .pkcs7, isArmoured: true)
        try files.put(seven, "bundle.p7")
        #expect(try files.openssl("pkcs7 -in @bundle.p7 -print_certs -noout").contains("RSA Leaf"))
        #expect(
            try files.read("bundle.p7").items.compactMap(\.certificate?.der)
                == certificates.compactMap(\.certificate?.der))
        let sequence = try write(content.items, .pemSequence)
        try files.put(sequence, "all.pem")
        #expect(try files.read("all.pem").items.map(\.content) == content.items.map(\.content))
        #expect(try write(content.items, .unknown) == sequence)
        try files.put(try write([certificates[0]], .x509), "one.der")
        #expect(try files.bytes("one.der") == certificates[0].certificate?.der)
    }

    /// Under a passphrase, the formats that choose a form for each thing choose encrypted PKCS#8 for private keys.
    @Test(arguments: [ExternalFormat.unknown, .pemSequence]) func aPassphraseEncryptsKeys(_ format: ExternalFormat)
        throws
    {
        let key = try item(.ec, 256)
        let content = try FormatCase.read(try FormatCase.fixture("modern.p12"), passphrase: "password")
        for items in [[key], content.items] {
            let written = try write(items, format, isArmoured: true, passphrase: "secret")
            try files.put(written, "encrypted.pem")
            let text = String(decoding: try files.bytes("encrypted.pem"), as: UTF8.self)
            #expect(text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") && !text.contains("BEGIN EC PRIVATE KEY"))
            #expect(try files.read("encrypted.pem", passphrase: "secret").items.map(\.content) == items.map(\.content))
            #expect(throws: FormatFailure.passphraseRequired) { try files.read("encrypted.pem") }
        }
        #expect(try write([key], .openSSL, passphrase: "secret") == write([key], .openSSL))
    }

    /// PKCS#12 keeps keys, chains, names and relations, with present-day ciphers.
    @Test(arguments: ["password", "", "P\u{E4}ssw\u{F6}rd \u{1F511}"]) func pkcs12(_ passphrase: String) throws {
        var content = try FormatCase.read(try FormatCase.fixture("modern.p12"), passphrase: "password")
        for place in content.items.indices where content.items[place].kind == .privateKey {
            content.items[place].label = "J\u{FC}rgen \u{1F511}"
        }
        try files.put(try write(content.items, .pkcs12, passphrase: passphrase), "one.p12")
        let again = try files.read("one.p12", passphrase: passphrase)
        #expect(Set(again.items.map { "\($0.content)".count }) == Set(content.items.map { "\($0.content)".count }))
        let key = try #require(again.items.first { $0.kind == .privateKey })
        #expect(key.label == "J\u{FC}rgen ")
        let leaf = try #require(
            again.items.first { (try? $0.certificate?.key == key.key().publicRepresentation()) == true })
        #expect(leaf.keyID == key.keyID && key.keyID?.count == 20)
        #expect(throws: FormatFailure.wrongPassphrase) { try files.read("one.p12", passphrase: "other") }
        guard !passphrase.contains(" ") else { return }
        let shown = try files.openssl("pkcs12 -in @one.p12 -passin pass:\(passphrase) -info -nodes -out @out.pem")
        _ = shown
        #expect(try files.read("out.pem").items.count == 4)
    }

    @Test func severalKeysInOne() throws {
        let content = try FormatCase.read(try FormatCase.fixture("java.p12"), passphrase: "password")
        try files.put(try write(content.items, .pkcs12, passphrase: "secret"), "two.p12")
        let again = try files.read("two.p12", passphrase: "secret")
        #expect(again.items.filter { $0.kind == .privateKey }.map(\.label) == ["rsa", "ec"])
        #expect(Set(again.items.compactMap(\.keyID)).count == 2)
    }

    @Test func whatDoesNotFitIsRefused() throws {
        let key = try item(.ec, 256)
        let session = ExternalItem(.sessionKey(SecretBytes([1, 2, 3])))
        let open = try item(.ec, 256, isPrivate: false)
        let certificate = ExternalItem(.certificate(der: [0x30, 0], key: nil))
        let cases: [([ExternalItem], ExternalFormat, String?, FormatFailure)] = [
            ([], .pemSequence, nil, .unsuitableItems), ([key], .pkcs12, nil, .passphraseRequired),
            // libcrypto would end such a passphrase at its first byte.
            ([key], .pkcs12, "\0" + String(repeating: "a", count: 1000), .unsuitableItems),
            ([key], .pkcs7, nil, .unsuitableItems), ([key], .x509, nil, .unsuitableItems),
            ([open], .wrappedPKCS8, "a", .unsuitableItems), ([key, key], .openSSL, nil, .unsuitableItems),
            ([session], .pkcs12, "a", .unsuitableItems), ([session], .openSSL, nil, .unsuitableItems),
            ([key], .rawKey, nil, .unsuitableItems), ([key], .openSSH, nil, .unsuitableItems),
            ([certificate], .pkcs12, "a", .damaged), ([certificate], .bsafe, nil, .unsuitableItems),
            ([key], .netscape, nil, .unsupportedFormat), ([open], .ssh, nil, .unsupportedFormat),
            ([key], .wrappedSSH, "a", .unsupportedFormat), ([key], .wrappedLSH, "a", .unsupportedFormat),
            ([ExternalItem(.privateKey(.ec, SecretBytes([4, 1])))], .openSSL, nil, .unsuitableItems),
            ([ExternalItem(.privateKey(.rsa, SecretBytes([0x30])))], .wrappedPKCS8, "a", .unsuitableItems),
        ]
        for (items, format, passphrase, failure) in cases {
            #expect(throws: failure, "\(format)") { try write(items, format, passphrase: passphrase) }
        }
        #expect(try write([session], .rawKey) == SecretBytes([1, 2, 3]))
    }
}
