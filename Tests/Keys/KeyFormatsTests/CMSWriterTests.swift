import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import KeyFormats

/// `openssl` verifies and decrypts our messages, and enveloped messages work in both directions.
struct CMSWriterTests {
    private let cases: CMSCase

    init() throws { cases = try CMSCase() }

    @Test(arguments: ["rsa:2048", "ec -pkeyopt ec_paramgen_curve:P-384"], CMSDigest.allCases)
    func signedMessages(_ kind: String, _ digest: CMSDigest) throws {
        try cases.certificate("anna", kind)
        try cases.files.put(
            try cases.signed("anna", digest) {
                $0.signingTime = 1_700_000_000
                $0.hasCapabilities = true
                $0.preference = $0.certificate
                $0.others = [$0.certificate]
            }, "message")
        for command in ["cms", "smime"] {
            try cases.files.openssl(
                "\(command) -verify -in @message -inform DER -CAfile @anna.pem -purpose any -out @again")
            #expect(try cases.files.bytes("again") == Array(CMSCase.text.utf8))
        }
        let shown = try cases.files.openssl("cms -cmsout -print -in @message -inform DER -noout")
        #expect(shown.contains("id-smime-aa-encrypKeyPref") && shown.contains("S/MIME Capabilities"))
        let content = try cases.read("message")
        #expect(content.signers.first?.signingTime == 1_700_000_000 && content.certificates.count == 1)
        try cases.files.put(try cases.signed("anna", digest) { $0.isDetached = true }, "detached")
        try cases.files.openssl(
            "cms -verify -in @detached -inform DER -content @text -binary -CAfile @anna.pem -purpose any -out @again")
    }

    @Test func aSignatureIsOfItsSigner() throws {
        try cases.certificate("anna")
        try cases.certificate("bert")
        #expect(throws: FormatFailure.wrongSignature) { try cases.signed("anna", by: "bert") }
        try cases.certificate("edward", "ed25519")
        #expect(throws: FormatFailure.unsupportedKey) { try cases.signed("edward") }
    }

    @Test func envelopedMessages() throws {
        try cases.certificate("anna", "rsa:2048")
        try cases.certificate("bert", "ec -pkeyopt ec_paramgen_curve:P-521")
        let content = SecretBytes(CMSCase.text.utf8)
        let certificates = [try cases.der("anna"), try cases.der("bert")]
        try cases.files.put(try CMSWriter.write(CMSOrder(content, .envelop(certificates))), "message")
        for name in ["anna", "bert"] {
            try cases.files.openssl(
                "cms -decrypt -in @message -inform DER -recip @\(name).pem -inkey @\(name).key -out @again")
            #expect(try cases.files.bytes("again") == Array(CMSCase.text.utf8))
        }
        try cases.certificate("edward", "ed25519")
        #expect(throws: FormatFailure.unsupportedKey) {
            try CMSWriter.write(CMSOrder(content, .envelop([try cases.der("edward")])))
        }
        #expect(throws: FormatFailure.unsuitableItems) { try CMSWriter.write(CMSOrder(content, .envelop([]))) }
    }

    @Test(arguments: [
        "-aes256 -recip @anna.pem", "-aes128 -recip @anna.pem -keyid", "-des3 -recip @anna.pem",
        "-aes256 -recip @anna.pem -keyopt rsa_padding_mode:oaep -keyopt rsa_oaep_md:sha256",
        "-aes256 -stream -recip @anna.pem",
    ]) func theirEnvelopesForRSA(_ options: String) throws {
        try cases.certificate("anna", "rsa:2048")
        try cases.certificate("other")
        try cases.files.openssl("cms -encrypt -in @text -binary -outform DER -out @message \(options)")
        #expect(try cases.read("message", of: ["other"]).recipients.isEmpty)
        let content = try cases.read("message", of: ["other", "anna"])
        let recipient = try #require(content.recipients.first)
        #expect(content.kind == .enveloped && content.content == nil && recipient.certificate == 1)
        #expect(recipient.method == (options.contains("oaep") ? .oaep : .pkcs1))
        try cases.files.put(SecretBytes(recipient.encrypted), "encrypted")
        let fill = options.contains("oaep") ? "oaep -pkeyopt rsa_oaep_md:sha256" : "pkcs1"
        try cases.files.openssl(
            "pkeyutl -decrypt -inkey @anna.key -in @encrypted -out @key -pkeyopt rsa_padding_mode:\(fill)")
        let key = SecretBytes(try cases.files.bytes("key"))
        #expect(try cases.read("message", key: CMSKey(of: recipient.number, key)).text == CMSCase.text)
        try expectRefusals(key, recipient)
        try expectChance(recipient)
    }

    @Test(arguments: ["-aes256", "-aes128 -keyopt ecdh_kdf_md:sha384", "-aes256 -keyid"])
    func theirEnvelopesForCurves(_ options: String) throws {
        try cases.certificate("anna", "ec -pkeyopt ec_paramgen_curve:P-256")
        try cases.files.openssl("cms -encrypt -in @text -binary -outform DER -out @message -recip @anna.pem \(options)")
        let recipient = try #require(try cases.read("message", of: ["anna"]).recipients.first)
        #expect(recipient.method == .agreement)
        let own = try #require(try cases.files.read("anna.key").items.first).key()
        let other = try CryptographicKey(.ec, publicRepresentation: recipient.publicKey)
        let plain = try #require(KeyAlgorithm(name: KeyAlgorithm.plainKeyExchange))
        let secret = try own.secret(with: other, by: plain, size: 0, info: [])
        let digest = try #require(recipient.digest.flatMap { KeyDigest(rawValue: $0.name) })
        let key = try X963KeyDerivation.key(secret, digest, count: Int(recipient.keyBytes), info: recipient.info)
        #expect(try cases.read("message", key: CMSKey(of: recipient.number, key)).text == CMSCase.text)
        try expectRefusals(key, recipient)
    }

    /// Expects another key, another recipient, and a changed or truncated message not to open.
    private func expectRefusals(_ key: SecretBytes, _ recipient: CMSRecipient) throws {
        let bytes = try cases.files.bytes("message")
        let short = key.withUnsafeBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
        expectOther(bytes, CMSKey(of: recipient.number, short))
        // The content has no authentication of its own.
        var changed = bytes
        changed[bytes.count - 20] ^= 1
        expectOther(changed, CMSKey(of: recipient.number, key))
        #expect(throws: FormatFailure.notOpened) {
            try CMSCase.read(bytes, key: CMSKey(of: recipient.number + 1, key))
        }
        for count in 0..<bytes.count {
            #expect(throws: FormatFailure.self) {
                try CMSCase.read(Array(bytes[..<count]), key: CMSKey(of: recipient.number, key))
            }
        }
        #expect(throws: FormatFailure.contentTwice) { try cases.read("message", content: "x", of: ["anna"]) }
    }

    /// Expects no content, or another one.
    private func expectOther(_ bytes: [UInt8], _ key: CMSKey) {
        let content = try? CMSCase.read(bytes, key: key)
        #expect(content?.text != CMSCase.text)
    }

    /// Expects a wrong block to give a random key, so that the content is decrypted all the same.
    ///
    /// The key differs each time, and now and then the result has a possible padding.
    private func expectChance(_ recipient: CMSRecipient) throws {
        let bytes = try cases.files.bytes("message")
        for key in [[], [1, 2, 3], [UInt8](repeating: 1, count: 500)] as [[UInt8]] {
            let key = CMSKey(of: recipient.number, SecretBytes(key))
            // One result in 256 has such a padding.
            var opened: CMSContent?
            for _ in 0..<6000 where opened == nil { opened = try? CMSCase.read(bytes, key: key) }
            #expect(opened != nil && opened?.text != CMSCase.text)
        }
    }
}
