import ChatelaineModel
import Crypto
import Foundation
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import CertificateReading

/// Every field of a certificate is read, also in certificates of the swift-certificates library.
struct CertificateReaderTests {
    private func report(_ sample: SampleCertificate) throws -> CertificateReport {
        try CertificateReader.report(of: sample.der)
    }

    @Test func everyFieldIsRead() throws {
        var sample = SampleCertificate()
        sample.extensions = [
            SampleCertificate.element("2.5.29.14", SampleCertificate.der(0x04, [1, 2, 3])),
            SampleCertificate.element("2.5.29.35", SampleCertificate.sequence(SampleCertificate.der(0x80, [4, 5]))),
            SampleCertificate.element("2.5.29.15", critical: true, SampleCertificate.der(0x03, [5, 0xA0])),
            SampleCertificate.element(
                "2.5.29.37", SampleCertificate.sequence(SampleCertificate.oid("1.3.6.1.5.5.7.3.1"))),
            SampleCertificate.element(
                "2.5.29.19", critical: true,
                SampleCertificate.sequence(SampleCertificate.der(0x01, [0xFF]), SampleCertificate.der(0x02, [3]))),
            SampleCertificate.element(
                "2.5.29.17",
                SampleCertificate.sequence(
                    SampleCertificate.der(0x82, Array("a.example.org".utf8)),
                    SampleCertificate.der(0x81, Array("post@example.org".utf8)),
                    SampleCertificate.der(0x86, Array("https://example.org/".utf8)),
                    SampleCertificate.der(0x87, [192, 0, 2, 1]),
                    SampleCertificate.der(0x87, [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]),
                    SampleCertificate.der(0x88, [42]))),
            SampleCertificate.element("1.2.3.4", [9]),
        ]
        let report = try report(sample)
        #expect(report.version == 3 && report.serialNumber == [0x12, 0x34])
        #expect(report.signatureAlgorithm == "1.2.840.10045.4.3.2")
        #expect(report.subject.line == "CN=www.example.org, O=Example")
        #expect(report.subject.commonName == "www.example.org" && report.summary == "www.example.org")
        #expect(report.notBefore == 1_704_067_200 && report.notAfter == 2_556_144_000)
        #expect(report.key.kind == .p256 && report.key.bits == 256 && report.key.representation.count == 65)
        #expect(report.key.hash == Array(Insecure.SHA1.hash(data: report.key.representation)))
        #expect(report.subjectKeyIdentifier == [1, 2, 3] && report.authorityKeyIdentifier == [4, 5])
        // The usages are digital signature and key encipherment.
        #expect(report.keyUsage == CertificateReport.criticalUsage | 1 | 4)
        #expect(report.purposes == ["1.3.6.1.5.5.7.3.1"])
        #expect(report.authority == .init(isAuthority: true, pathLength: 3))
        #expect(
            report.alternativeNames == [
                AlternativeName(.host, "a.example.org"), AlternativeName(.email, "post@example.org"),
                AlternativeName(.uri, "https://example.org/"), AlternativeName(.address, "192.0.2.1"),
                AlternativeName(.address, "2001:db8:0:0:0:0:0:1"),
            ])
        #expect(report.emailAddresses == ["post@example.org"])
        #expect(report.extensions.count == 7 && report.extensions.last?.identifier == "1.2.3.4")
        #expect(report.extensions.map(\.isCritical) == [false, false, true, false, true, false, false])
    }

    /// The key usage has bits beyond the first byte.
    @Test func theLastUsageIsTheNinthBit() throws {
        var sample = SampleCertificate()
        sample.extensions = [SampleCertificate.element("2.5.29.15", SampleCertificate.der(0x03, [7, 0, 0x80]))]
        #expect(try report(sample).keyUsage == 256)
    }

    @Test func printableStringsAreNormalised() throws {
        var sample = SampleCertificate()
        sample.issuer = SampleCertificate.name(
            ("2.5.4.6", 0x13, "de"), ("2.5.4.10", 0x13, "  My   Own  CA "), ("2.5.4.3", 0x0C, " As  It Is "))
        let issuer = try report(sample).issuer
        let normalized =
            SampleCertificate.part("2.5.4.6", 0x13, Array("DE".utf8))
            + SampleCertificate.part("2.5.4.10", 0x13, Array("MY OWN CA".utf8))
            + SampleCertificate.part("2.5.4.3", 0x0C, Array(" As  It Is ".utf8))
        #expect(issuer.normalized == normalized)
        #expect(issuer.normalizedSequence == SampleCertificate.der(0x30, normalized))
        #expect(issuer.encoded == sample.issuer)
        #expect(try CertificateReader.normalize([sample.issuer, SampleCertificate.der(0x30, [])]) == [normalized, []])
        // The header of the longer name needs more bytes.
        for count in [127, 128, 255, 256, 70_000] {
            let long = SampleCertificate.name(("2.5.4.3", 0x0C, String(repeating: "n", count: count)))
            sample.subject = long
            #expect(try report(sample).subject.normalizedSequence == long)
        }
    }

    @Test func aNameOfSeveralPartsInOneKeepsThem() throws {
        let pairs = [("2.5.4.3", "b"), ("2.5.4.5", "a")].flatMap { type, text in
            SampleCertificate.sequence(SampleCertificate.oid(type), SampleCertificate.der(0x13, Array(text.utf8)))
        }
        let name = try NameReader.read(SampleCertificate.der(0x30, SampleCertificate.der(0x31, pairs)))
        #expect(name.parts.map(\.text) == ["b", "a"])
        #expect(name.normalized.contains(UInt8(ascii: "B")) && name.normalized.contains(UInt8(ascii: "A")))
    }

    @Test(arguments: [
        (0x0C as UInt8, [0xC3, 0xA4] as [UInt8], "ä"), (0x0C, [0xC3], nil), (0x0C, [0xED, 0xA0, 0x80], nil),
        (0x14, [0xE4], "ä"), (0x1E, [0, 0xE4, 0x20, 0xAC], "ä€"), (0x1E, [0xD8, 0], nil), (0x1E, [1], nil),
        (0x1C, [0, 1, 0xF6, 0], "😀"), (0x1C, [0, 0x11, 0, 0], nil), (0x16, [0x61, 0x80], nil),
        (0x0C, [0x61, 0, 0x62], nil), (0x04, [0x61], nil),
    ])
    func textOfEachType(tag: UInt8, bytes: [UInt8], text: String?) throws {
        var sample = SampleCertificate()
        sample.subject = SampleCertificate.der(0x30, SampleCertificate.part("2.5.4.3", tag, bytes))
        #expect(try report(sample).subject.commonName == text)
    }

    @Test func theSummaryIsTheMostSpecificThatThereIs() throws {
        var sample = SampleCertificate()
        for (subject, summary) in [
            ([("2.5.4.3", 0x0C, "One"), ("2.5.4.3", 0x0C, "Two")], "Two"),
            ([("2.5.4.10", 0x0C, "O"), ("2.5.4.11", 0x0C, "OU")], "OU"), ([("2.5.4.10", 0x0C, "O")], "O"),
            ([("1.2.840.113549.1.9.1", 0x16, "a@b")], "a@b"), ([("2.5.4.6", 0x13, "DE")], "DE"),
        ] as [([(String, UInt8, String)], String)] {
            sample.subject = SampleCertificate.der(
                0x30, subject.flatMap { SampleCertificate.part($0.0, $0.1, Array($0.2.utf8)) })
            #expect(try report(sample).summary == summary)
        }
        sample.subject = SampleCertificate.der(0x30, [])
        #expect(try report(sample).summary == nil)
        sample.extensions = [
            SampleCertificate.element(
                "2.5.29.17", SampleCertificate.sequence(SampleCertificate.der(0x82, Array("host".utf8))))
        ]
        #expect(try report(sample).summary == "host")
    }

    /// Each certificate leads to the next one, by names and key identifiers.
    @Test func certificatesOfOpenSSLAreRead() throws {
        let reports = try [
            SampleCertificates.leaf, SampleCertificates.middle, SampleCertificates.root, SampleCertificates.past,
        ].map { try CertificateReader.report(of: [UInt8](try #require(Data(base64Encoded: $0)))) }
        for (one, issuer) in zip(reports.prefix(2), reports[1...2]) {
            #expect(one.issuer.normalized == issuer.subject.normalized)
            #expect(one.authorityKeyIdentifier == issuer.subjectKeyIdentifier && one.authorityKeyIdentifier != nil)
        }
        #expect(reports.map(\.key.kind) == [.rsa, .p384, .p256, .ed25519])
        #expect(reports.map(\.key.bits) == [2048, 384, 256, 256] && reports.map(\.version) == [3, 3, 3, 1])
        // OpenSSL's key identifier is the same digest.
        #expect(reports.prefix(3).allSatisfy { $0.subjectKeyIdentifier == $0.key.hash })
        #expect(reports[1].authority == .init(isAuthority: true, pathLength: 0))
        #expect(reports[2].subject.line == "CN=Sample Root, O=Sample  org, C=de")
    }

    @Test func datesOfAllCenturies() {
        let calendar = Calendar(identifier: .gregorian)
        for (year, month, day) in [
            (1950, 1, 1), (1970, 1, 1), (2000, 2, 29), (2049, 12, 31), (9999, 12, 31), (1, 3, 1),
        ] {
            var parts = DateComponents(timeZone: TimeZone(secondsFromGMT: 0), year: year, month: month, day: day)
            (parts.hour, parts.minute, parts.second) = (23, 59, 58)
            guard year > 1582, let date = calendar.date(from: parts) else { continue }
            #expect(DateReader.seconds(year, month, day, 23, 59, 58) == Int64(date.timeIntervalSince1970))
        }
        // These dates precede the calendar itself.
        #expect(DateReader.seconds(1, 1, 1, 0, 0, 0) == -62_135_596_800)
        #expect(DateReader.seconds(0, 3, 1, 0, 0, 0) == -62_162_035_200)
    }

    /// Certificates that swift-certificates makes, for each kind of key.
    @Test func certificatesOfTheLibraryAreRead() throws {
        for (key, kind) in [
            (Certificate.PrivateKey(P256.Signing.PrivateKey()), CertificateKey.Kind.p256),
            (Certificate.PrivateKey(P384.Signing.PrivateKey()), .p384),
            (Certificate.PrivateKey(P521.Signing.PrivateKey()), .p521),
            (Certificate.PrivateKey(Curve25519.Signing.PrivateKey()), .ed25519),
        ] {
            let name = try DistinguishedName { CommonName("Library") }
            let certificate = try Certificate(
                version: .v3, serialNumber: .init(), publicKey: key.publicKey,
                notValidBefore: Date(timeIntervalSince1970: 0), notValidAfter: Date(timeIntervalSince1970: 5e9),
                issuer: name, subject: name, extensions: try .init { BasicConstraints.notCertificateAuthority },
                issuerPrivateKey: key)
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            let report = try CertificateReader.report(of: serializer.serializedBytes)
            #expect(report.key.kind == kind && report.subject.commonName == "Library")
            #expect(report.notBefore == 0 && report.notAfter == 5_000_000_000)
            #expect(report.authority == .init(isAuthority: false))
        }
    }
}
