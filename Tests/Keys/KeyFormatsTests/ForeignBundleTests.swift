import ChatelaineModel
import Testing

@testable import KeyFormats

/// PKCS#12 files of other programs are read (behaviour/import-export.md).
struct ForeignBundleTests {
    init() throws { try KeyFormats.start() }

    private static let chains = ["rc2-40.p12", "windows-like.pfx", "modern.p12", "from-jks.p12"]

    private static func passphrase(of name: String) -> String { name == "windows-like.pfx" ? "Pässwörd" : "password" }

    /// A chain has a key, its certificate, and the issuers above it.
    @Test(arguments: chains) func aChainIsRead(_ name: String) throws {
        let content = try FormatCase.read(try FormatCase.fixture(name), passphrase: Self.passphrase(of: name))
        #expect(content.format == .pkcs12 && content.kind == .aggregate && content.items.count == 4)
        let keys = content.items.filter { $0.kind == .privateKey }
        let key = try #require(keys.first)
        #expect(keys.count == 1 && key.label != nil && key.keyID != nil)
        let publicKey = try key.key().publicRepresentation()
        let leaf = try #require(content.items.first { $0.certificate?.key == publicKey })
        #expect(leaf.keyID == key.keyID)
        let intermediate = content.items[Int(try #require(leaf.issuer))]
        let root = content.items[Int(try #require(intermediate.issuer))]
        #expect(root.issuer == nil && intermediate.certificate != nil && root.certificate != nil)
    }

    @Test func namesBeyondASCII() throws {
        let content = try FormatCase.read(try FormatCase.fixture("windows-like.pfx"), passphrase: "Pässwörd")
        #expect(content.items.first { $0.kind == .privateKey }?.label == "Jürgen Größe")
    }

    @Test func severalKeys() throws {
        let content = try FormatCase.read(try FormatCase.fixture("java.p12"), passphrase: "password")
        let keys = content.items.filter { $0.kind == .privateKey }
        #expect(keys.map(\.label) == ["rsa", "ec"])
        #expect(try keys.map { try $0.key().bits } == [2048, 384])
        let certificates = content.items.compactMap { $0.certificate?.key }
        #expect(try Set(certificates) == Set(keys.map { try $0.key().publicRepresentation() }))
    }

    @Test(arguments: ["java-legacy.p12", "no-mac.p12"]) func oneKey(_ name: String) throws {
        let content = try FormatCase.read(try FormatCase.fixture(name), passphrase: "password")
        #expect(content.items.map(\.kind.rawValue).sorted() == [1, 4])
        _ = try content.items.first { $0.kind == .privateKey }?.key()
    }

    /// Without a passphrase, none and an empty one are equivalent.
    @Test(arguments: ["empty.p12", "in-the-open.p12"], [nil, ""]) func noPassphrase(
        _ name: String, _ passphrase: String?
    ) throws {
        let content = try FormatCase.read(try FormatCase.fixture(name), passphrase: passphrase)
        #expect(content.items.count == 2)
    }

    @Test(arguments: chains + ["java.p12", "java-legacy.p12", "no-mac.p12", "empty.p12"])
    func aWrongPassphraseIsToldFromNone(_ name: String) throws {
        let file = try FormatCase.fixture(name)
        for wrong in ["Password", "password ", "p\u{E4}ssw\u{F6}rd", String(repeating: "x", count: 1024)] {
            #expect(throws: FormatFailure.wrongPassphrase) { try FormatCase.read(file, passphrase: wrong) }
        }
        guard name != "empty.p12" else { return }
        #expect(throws: FormatFailure.passphraseRequired) { try FormatCase.read(file) }
        #expect(throws: FormatFailure.wrongPassphrase) { try FormatCase.read(file, passphrase: "") }
    }

    /// A damaged file must not report the right passphrase as wrong.
    @Test(arguments: ["modern.p12", "rc2-40.p12", "java.p12"]) func damageIsToldFromAWrongPassphrase(_ name: String)
        throws
    {
        let file = try FormatCase.fixture(name)
        for count in stride(from: 1, to: file.count, by: 97) {
            #expect(throws: FormatFailure.damaged) {
                try FormatCase.read(Array(file[..<count]), passphrase: "password")
            }
        }
        // Only the authentication code at the end is wrong.
        var changed = file
        changed[file.count - 60] ^= 1
        let failure = #expect(throws: FormatFailure.self) { try FormatCase.read(changed, passphrase: "password") }
        #expect(failure == .damaged, "\(String(describing: failure))")
    }

    /// Every changed byte leads to an error or to the original content.
    @Test func changedBytes() throws {
        let file = try FormatCase.fixture("in-the-open.p12")
        for place in 0..<file.count {
            var changed = file
            changed[place] ^= 0x41
            _ = try? FormatCase.read(changed, passphrase: "password")
        }
    }

    /// The limit only says which test hangs: the iterations would take longer.
    @Test(.timeLimit(.minutes(5)), arguments: ["iterations.p8", "iterations.p12", "code-iterations.p12"])
    func iterationsWithoutEndAreRefusedAtOnce(_ name: String) throws {
        let file = try FormatCase.fixture(name)
        #expect(throws: FormatFailure.tooManyIterations) { try FormatCase.read(file, passphrase: "password") }
    }

    /// The cost of many derivations is added up, also for scrypt, where each is within its limit.
    @Test func derivationsByScryptAreAddedUp() throws {
        let files = try FormatCase()
        try files.openssl("genpkey -algorithm ed25519 -out @key.pem")
        try files.openssl("pkcs8 -topk8 -scrypt -passout pass:password -in @key.pem -outform DER -out @key.p8")
        let key = try files.bytes("key.p8")
        #expect(try FormatCase.read(Self.bundle(of: key, count: 3), passphrase: "password").items.count == 3)
        #expect(throws: FormatFailure.tooManyIterations) {
            try FormatCase.read(Self.bundle(of: key, count: 300), passphrase: "password")
        }
    }

    /// PKCS#12 with an encrypted key this many times, and no authentication code (RFC 7292).
    private static func bundle(of key: [UInt8], count: Int) -> [UInt8] {
        func element(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
            let content = parts.flatMap { $0 }
            let length = withUnsafeBytes(of: UInt32(content.count).bigEndian) { [UInt8]($0) }
            return [tag, 0x84] + length + content
        }
        func object(_ last: UInt8...) -> [UInt8] {
            let name = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01] + last
            return [0x06, UInt8(name.count)] + name
        }
        func data(_ content: [UInt8]) -> [UInt8] { element(0x30, object(7, 1), element(0xA0, element(0x04, content))) }
        let bag = element(0x30, object(12, 10, 1, 2), element(0xA0, key))
        let bags = element(0x30, [[UInt8]](repeating: bag, count: count).flatMap { $0 })
        return element(0x30, [0x02, 0x01, 0x03], data(element(0x30, data(bags))))
    }
}
