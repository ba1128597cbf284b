import ChatelaineMemory
import ChatelaineModel
import Foundation
import Testing

@testable import KeyFormats

/// The format and kind of a file are detected (behaviour/import-export.md).
struct DetectionTests {
    init() throws { try KeyFormats.start() }

    @Test(
        arguments: [
            [], [0], [0x30], [0x30, 0x80], [0x30, 0x82, 0xFF, 0xFF], Array("-----BEGIN CERTIFICATE-----".utf8),
            Array("-----BEGIN NONSENSE-----\nAAAA\n-----END NONSENSE-----".utf8), Array("hello".utf8),
            [UInt8](repeating: 0xFF, count: 32),
            Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END PUBLIC KEY-----".utf8), Array("ssh-rsa".utf8),
            Array("ssh-rsa AAAA".utf8),
            Array("ssh-dss AAAA".utf8), [UInt8](repeating: 0x30, count: 4096),
        ] as [[UInt8]])
    func nonsenseIsRefused(_ bytes: [UInt8]) {
        #expect(throws: FormatFailure.self) { try FormatCase.read(bytes, passphrase: "password") }
    }

    /// An exponent is never longer than its modulus, but a file may state any length.
    @Test func anExponentIsNoLongerThanItsModulus() throws {
        func word(_ bytes: [UInt8]) -> [UInt8] {
            withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { [UInt8]($0) } + bytes
        }
        for count in [257, 70_000] {
            let blob =
                word(Array("ssh-rsa".utf8)) + word([UInt8](repeating: 3, count: count))
                + word([UInt8](repeating: 0x7F, count: 256))
            let line = "ssh-rsa \(Data(blob).base64EncodedString())"
            #expect(throws: FormatFailure.unsupportedKey) { try FormatCase.read(Array(line.utf8)) }
        }
        for (count, header) in [
            (0x7F, [0x02, 0x7F]), (0x80, [0x02, 0x81, 0x80]), (0x100, [0x02, 0x82, 1, 0]),
            (0x1_0000, [0x02, 0x83, 1, 0, 0]),
        ] as [(Int, [UInt8])] {
            let written = DERWriter.integer([UInt8](repeating: 1, count: count))
            #expect(Array(written.prefix(header.count)) == header && written.count == header.count + count)
        }
    }

    /// Any bytes are a symmetric key if the caller says so.
    @Test func symmetricKeysAreNamed() throws {
        let bytes = [UInt8](repeating: 0x30, count: 32)
        for content in [
            try FormatCase.read(bytes, format: .rawKey), try FormatCase.read(bytes, kind: .sessionKey),
            try FormatCase.read(bytes, format: .rawKey, kind: .sessionKey),
        ] {
            #expect(
                content
                    == ExternalContent(
                        format: .rawKey, kind: .sessionKey, items: [ExternalItem(.sessionKey(SecretBytes(bytes)))]))
        }
        #expect(throws: FormatFailure.self) { try FormatCase.read(bytes) }
        #expect(throws: FormatFailure.unknownFormat) { try FormatCase.read([], format: .rawKey) }
    }

    /// The caller's hints must agree with the file.
    @Test func hintsAreHeldAgainstWhatIsThere() throws {
        let file = try FormatCase.fixture("java.p12")
        for (format, kind) in [
            (ExternalFormat.pkcs12, ExternalKind.unknown), (.unknown, .aggregate), (.pkcs12, .aggregate),
            // Build scripts say “-t cert -f pkcs12” and mean the whole file.
            (.pkcs12, .certificate), (.unknown, .privateKey),
        ] {
            #expect(try FormatCase.read(file, format: format, kind: kind, passphrase: "password").items.count == 4)
        }
        for (format, kind) in [
            (ExternalFormat.x509, ExternalKind.unknown), (.x509, .certificate), (.openSSL, .unknown),
        ] {
            #expect(throws: FormatFailure.unknownFormat) {
                try FormatCase.read(file, format: format, kind: kind, passphrase: "password")
            }
        }
    }

    @Test func thereIsALimitOfThings() throws {
        let content = try FormatCase.read(try FormatCase.fixture("in-the-open.p12"))
        let certificate = try #require(content.items.first { $0.kind == .certificate })
        let text = try FormatWriter.write(ExternalOrder([certificate], format: .x509, isArmoured: true)).withUnsafeBytes
        { [UInt8]($0) }
        let most = [[UInt8]](repeating: text, count: FormatLimits.maximumItems).flatMap { $0 }
        #expect(try FormatCase.read(most).items.count == FormatLimits.maximumItems)
        #expect(throws: FormatFailure.tooManyItems) { try FormatCase.read(most + text) }
    }

    /// A key or certificate that was changed is not passed over as a list of revocations beside it would be.
    @Test func aDamagedBlockIsNotPassedOver() throws {
        let content = try FormatCase.read(try FormatCase.fixture("in-the-open.p12"))
        let texts = try content.items.map { item in
            try FormatWriter.write(ExternalOrder([item], format: .openSSL, isArmoured: true)).withUnsafeBytes {
                String(decoding: $0, as: UTF8.self)
            }
        }
        #expect(texts.count > 1)
        for (index, text) in texts.enumerated() {
            let others = texts[..<index].joined() + texts[(index + 1)...].joined()
            let damaged = text.replacingOccurrences(of: "-----\nM", with: "-----\nN")
            #expect(throws: FormatFailure.damaged) { try FormatCase.read(Array((others + damaged).utf8)) }
        }
        let request = "-----BEGIN CERTIFICATE REQUEST-----\nMAEH\n-----END CERTIFICATE REQUEST-----\n"
        #expect(try FormatCase.read(Array((texts.joined() + request).utf8)).items.count == texts.count)
    }

    /// Two DER values in sequence are not read as one.
    @Test func nothingIsLeftBehindUnread() throws {
        let content = try FormatCase.read(try FormatCase.fixture("in-the-open.p12"))
        let ders = content.items.compactMap { $0.certificate?.der }
        let der = try #require(ders.first)
        #expect(try FormatCase.read(der + [0x0A]).items.count == 1)
        for rest in [[0], der, Array("x".utf8)] {
            #expect(throws: FormatFailure.damaged) { try FormatCase.read(der + rest) }
        }
        for count in 1..<der.count { #expect(throws: FormatFailure.self) { try FormatCase.read(Array(der[..<count])) } }
    }
}
