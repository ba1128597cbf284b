import ChatelaineMemory
import ChatelaineModel
import Testing

@testable import SecurityTool

/// Tests of which certificates can be excluded for a word without parsing them.
struct CertificatePrefilterTests {
    private static func certificate(subject: [UInt8]?, der: [UInt8] = []) -> StoredCertificate {
        var attributes = AttributeSet()
        attributes[.subject] = subject.map { .data($0) }
        return StoredCertificate(
            .protected(
                FoundItem(
                    identifier: ItemIdentifier(), itemClass: .certificate, accessibility: .always,
                    isSynchronizable: false, attributes: EncodedAttributes(attributes), secret: SecretBytes(der))))
    }

    @Test(arguments: [
        ("example", "CN=EXAMPLE  ROOT", true), ("Example Root", "EXAMPLE ROOT", true), ("a  b ", "xA By", true),
        ("other", "CN=EXAMPLE", false), ("exampled", "EXAMPLE", false), ("", "x", true), ("é", "x", true),
        ("k", "\u{212A}", true),
    ]) func aName(_ name: String, _ subject: String, _ passes: Bool) {
        let certificate = Self.certificate(subject: Array(subject.utf8))
        #expect(CertificatePrefilter(name: name).passes(certificate) == passes)
    }

    /// Names with two bytes for each letter, and certificates without a known subject, are left to trustd.
    @Test func whatBytesCannotTellPasses() {
        #expect(CertificatePrefilter(name: "ab").passes(Self.certificate(subject: [0x1E, 4, 0, 0x61, 0, 0x62])))
        #expect(CertificatePrefilter(name: "ab").passes(Self.certificate(subject: [0x1C, 4, 0, 0, 0, 0x61])))
        #expect(CertificatePrefilter(name: "ab").passes(Self.certificate(subject: nil)))
    }

    @Test func anAddressIsLookedForInAllOfIt() {
        let certificate = Self.certificate(subject: Array("CN".utf8), der: [0x81, 3] + Array("A@b".utf8))
        #expect(CertificatePrefilter(address: "a@B").passes(certificate))
        #expect(!CertificatePrefilter(address: "a@c").passes(certificate))
        #expect(!CertificatePrefilter(name: "CN", address: "a@c").passes(certificate))
    }
}
