import ChatelaineMemory
import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import KeyFormats

/// The reader verifies signed messages of `openssl`, and detects changes on their way.
struct CMSReaderTests {
    private let cases: CMSCase

    init() throws { cases = try CMSCase() }

    @Test(arguments: [
        ("rsa:2048", CMSDigest.sha256), ("rsa:2048", .sha1), ("ec -pkeyopt ec_paramgen_curve:P-256", .sha256),
        ("ec -pkeyopt ec_paramgen_curve:P-384", .sha384), ("ec -pkeyopt ec_paramgen_curve:P-521", .sha512),
    ]) func signersOfEveryKind(_ kind: String, _ digest: CMSDigest) throws {
        try cases.certificate("anna", kind)
        let order = "cms -sign -in @text -signer @anna.pem -inkey @anna.key -md \(digest.name.lowercased()) -binary"
        // The forms: attached in DER, with indefinite lengths, by key identifier, without attributes, and as PEM.
        for more in [
            "-nodetach -outform DER", "-nodetach -stream -outform DER", "-nodetach -keyid -outform DER",
            "-nodetach -noattr -outform DER", "-nodetach -outform PEM",
        ] {
            try cases.files.openssl("\(order) \(more) -out @message")
            let content = try cases.read("message")
            #expect(content.kind == .signed && content.text == CMSCase.text, "\(more)")
            let signer = try #require(content.signers.first)
            #expect(content.signers.count == 1 && signer.status == .good && signer.digest == digest, "\(more)")
            let certificate = try cases.der("anna")
            #expect(signer.certificate == certificate && content.certificates == [certificate])
            #expect((signer.signingTime != nil) != more.contains("noattr"))
        }
        try cases.files.openssl("\(order) -outform DER -out @detached")
        #expect(try cases.read("detached", content: CMSCase.text).signers.map(\.status) == [.good])
        #expect(try cases.read("detached", content: CMSCase.text + " ").signers.map(\.status) == [.digestMismatch])
        #expect(throws: FormatFailure.contentRequired) { try cases.read("detached") }
    }

    @Test func olderMessagesAndSeveralSigners() throws {
        try cases.certificate("anna", "rsa:2048")
        try cases.certificate("bert")
        try cases.files.openssl(
            "smime -sign -in @text -signer @anna.pem -inkey @anna.key -nodetach -binary -outform DER -out @old")
        #expect(try cases.read("old").signers.map(\.status) == [.good])
        try cases.files.openssl(
            "cms -sign -in @text -signer @anna.pem -inkey @anna.key -signer @bert.pem -inkey @bert.key -nodetach -binary -outform DER -out @two"
        )
        #expect(try cases.read("two").signers.map(\.status) == [.good, .good])
        #expect(throws: FormatFailure.contentTwice) { try cases.read("two", content: CMSCase.text) }
        try cases.files.openssl(
            "cms -sign -in @text -signer @bert.pem -inkey @bert.key -nocerts -nodetach -binary -outform DER -out @bare")
        #expect(try cases.read("bare").signers.map(\.status) == [.noCertificate])
        #expect(try cases.read("bare", of: ["anna"]).signers.map(\.status) == [.noCertificate])
        #expect(try cases.read("bare", of: ["anna", "bert"]).signers.map(\.status) == [.good])
        // MD5 signatures are not supported.
        try cases.files.openssl(
            "cms -sign -in @text -signer @anna.pem -inkey @anna.key -md md5 -nodetach -binary -outform DER -out @weak")
        #expect(try cases.read("weak").signers.map(\.status) == [.unsupported])
        try cases.files.openssl("crl2pkcs7 -nocrl -certfile @anna.pem -outform DER -out @alone")
        let alone = try cases.read("alone")
        #expect(alone.signers.isEmpty && alone.content?.count ?? 0 == 0 && alone.certificates.count == 1)
    }

    @Test func whatWasChangedIsNotGood() throws {
        try cases.certificate("anna")
        try cases.files.openssl(
            "cms -sign -in @text -signer @anna.pem -inkey @anna.key -nodetach -binary -outform DER -out @message")
        let bytes = try cases.files.bytes("message")
        let place = try #require(Data(bytes).range(of: Data(CMSCase.text.utf8))).lowerBound
        var changed = bytes
        changed[place] ^= 1
        #expect(try CMSCase.read(changed).signers.map(\.status) == [.digestMismatch])
        changed = bytes
        changed[bytes.count - 1] ^= 1
        #expect(try CMSCase.read(changed).signers.map(\.status) == [.badSignature])
        // With any bit changed, reading fails, the content is what was signed, or the signature is not good.
        for index in bytes.indices {
            changed = bytes
            changed[index] ^= 4
            guard let content = try? CMSCase.read(changed) else { continue }
            let isGood = content.signers.map(\.status) == [.good]
            #expect(!isGood || content.text == CMSCase.text, "byte \(index)")
        }
        for count in 0..<bytes.count {
            #expect(throws: FormatFailure.self) { try CMSCase.read(Array(bytes[..<count])) }
        }
        #expect(throws: FormatFailure.self) { try CMSCase.read(bytes + [0]) }
        #expect(try CMSCase.read(bytes + [0x0A]).signers.map(\.status) == [.good])
    }

    @Test func lineFeedsBehindAnOpenLength() throws {
        try cases.certificate("anna")
        try cases.files.openssl(
            "cms -sign -in @text -signer @anna.pem -inkey @anna.key -nodetach -binary -stream -outform DER -out @message"
        )
        let bytes = try cases.files.bytes("message")
        for end in [[], [0x0A], [0x0D, 0x0A, 0x0A]] as [[UInt8]] {
            #expect(try CMSCase.read(bytes + end).signers.map(\.status) == [.good])
        }
        #expect(throws: FormatFailure.self) { try CMSCase.read(bytes + [0x0A, 0x20]) }
    }

    /// Each digest passes over the whole content, so their number is limited.
    @Test func digestsAreCounted() throws {
        let limit = CMSLimits.maximumSigners
        #expect(try CMSCase.read(Self.message(digests: limit)).signers.isEmpty)
        #expect(throws: FormatFailure.tooManyItems) { try CMSCase.read(Self.message(digests: limit + 1)) }
        #expect(throws: FormatFailure.tooManyItems) { try CMSCase.read(Self.message(digests: 4000)) }
    }

    /// A message without content and signers that names SHA-256 this often.
    private static func message(digests count: Int) -> [UInt8] {
        func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
        }
        let digest: [UInt8] = [0x30, 0x0B, 0x06, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1]
        let kinds: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7]
        let digests = element(0x31, Array([[UInt8]](repeating: digest, count: count).joined()))
        let signed = element(0x30, [0x02, 1, 1] + digests + element(0x30, kinds + [1]) + [0x31, 0])
        return element(0x30, kinds + [2] + element(0xA0, signed))
    }

    /// The signed attributes of one message must not pass as the content of a message without attributes.
    @Test func attributesAreNoContent() throws {
        try cases.certificate("anna")
        let signing = CMSSigning(try cases.der("anna"), .sha256)
        let attributes = try CMSWriter.write(CMSOrder(SecretBytes(CMSCase.text.utf8), .sign(signing)))
        try cases.files.put(attributes, "text")
        try cases.files.openssl(
            "cms -sign -in @text -signer @anna.pem -inkey @anna.key -noattr -nodetach -binary -outform DER -out @forged"
        )
        #expect(try cases.read("forged").signers.map(\.status) == [.malformed])
    }

    @Test func nonsenseIsRefused() throws {
        let type: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2]
        let deep =
            [UInt8](repeating: 0x30, count: 100_000).enumerated().map { $0.offset % 2 == 0 ? 0x30 : 0x80 } as [UInt8]
        let nested: [UInt8] = [0x30, 0x80] + type + [0xA0, 0x80] + deep
        for bytes in [[], [0x30], [0x30, 0x80], type, [0x30, 0x0B] + type, nested] as [[UInt8]] {
            #expect(throws: FormatFailure.self) { try CMSCase.read(bytes) }
        }
        // The lengths go beyond the end of the message.
        #expect(throws: FormatFailure.self) {
            try CMSCase.read([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF] + type + [0xA0, 0x84, 0xFF, 0xFF, 0xFF, 0xFF])
        }
        #expect(throws: FormatFailure.unknownFormat) { try CMSCase.read(Array(CMSCase.text.utf8)) }
    }
}
