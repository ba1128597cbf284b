import ChatelaineModel
import SwiftASN1
import Testing

@testable import CertificateReading

/// Extensions are shown part by part (behaviour/certificates.md, 31).
struct ExtensionFieldTests {
    private static func der(_ tag: UInt8, _ content: [UInt8]...) -> [UInt8] {
        SampleCertificate.der(tag, content.flatMap { $0 })
    }

    private static func sequence(_ elements: [UInt8]...) -> [UInt8] {
        SampleCertificate.der(0x30, elements.flatMap { $0 })
    }

    private static func oid(_ text: String) -> [UInt8] { SampleCertificate.oid(text) }

    private static func text(_ tag: UInt8, _ text: String) -> [UInt8] { SampleCertificate.der(tag, Array(text.utf8)) }

    private func fields(_ identifier: String, _ value: [UInt8]) throws -> [CertificateField]? {
        var sample = SampleCertificate()
        sample.extensions = [SampleCertificate.element(identifier, value)]
        let report = try CertificateReader.report(of: sample.der)
        #expect(report.extensions.first?.value == value && report.signature == [1, 2, 3])
        return report.extensions.first?.fields
    }

    private static func field(_ label: String, _ text: String) -> CertificateField {
        CertificateField(label, .text(text))
    }

    @Test(arguments: ["2.5.29.17", "2.5.29.18"])
    func namesOfEachForm(_ identifier: String) throws {
        let directory = SampleCertificate.name(("2.5.4.10", 0x0C, "Example"), ("2.5.4.3", 0x0C, "A"))
        let names = Self.sequence(
            Self.text(0x82, "a.example.org"), Self.text(0x81, "post@example.org"), Self.der(0xA4, directory),
            Self.text(0x86, "https://example.org/"), Self.der(0x87, [192, 0, 2, 1]), Self.der(0x88, [42, 3]),
            Self.der(0xA0, Self.oid("1.2.3.4"), Self.der(0xA0, Self.text(0x0C, "x"))), Self.der(0x82, [0, 65]))
        #expect(
            try fields(identifier, names) == [
                Self.field("DNS Name", "a.example.org"), Self.field("Email Address", "post@example.org"),
                Self.field("Directory Name", "CN=A, O=Example"), Self.field("URI", "https://example.org/"),
                Self.field("IP Address", "192.0.2.1"), CertificateField("Registered ID", .data([42, 3])),
                CertificateField(
                    "Other Name", .data(Self.oid("1.2.3.4") + Self.der(0xA0, Self.text(0x0C, "x")))),
                // A name with a zero byte is not shown as text.
                CertificateField("DNS Name", .data([0, 65])),
            ])
    }

    @Test func constraintsOfNames() throws {
        let constraints = Self.sequence(
            Self.der(
                0xA0, Self.sequence(Self.text(0x82, "example.org")), Self.sequence(Self.text(0x81, ".example.org"))),
            Self.der(0xA1, Self.sequence(Self.der(0x87, [192, 0, 2, 0, 255, 255, 255, 0]))))
        #expect(
            try fields("2.5.29.30", constraints) == [
                Self.field("Permitted DNS Name", "example.org"), Self.field("Permitted Email Address", ".example.org"),
                Self.field("Excluded IP Address", "192.0.2.0/255.255.255.0"),
            ])
    }

    @Test(arguments: ["2.5.29.31", "2.5.29.46"])
    func placesOfLists(_ identifier: String) throws {
        let uri = Self.text(0x86, "http://example.org/list.crl")
        let issuer = SampleCertificate.name(("2.5.4.3", 0x0C, "Lists"))
        let points = Self.sequence(
            Self.sequence(Self.der(0xA0, Self.der(0xA0, uri))),
            Self.sequence(
                Self.der(0xA0, Self.der(0xA0, uri)), Self.der(0x81, [1, 0x40]), Self.der(0xA2, Self.der(0xA4, issuer))))
        let place = Self.field("URI", "http://example.org/list.crl")
        #expect(
            try fields(identifier, points) == [
                place, place, CertificateField("Reasons", .data([1, 0x40])),
                Self.field("CRL Issuer Directory Name", "CN=Lists"),
            ])
    }

    @Test func policiesAndTheirQualifiers() throws {
        let statement = Self.sequence(
            Self.oid("1.3.6.1.5.5.7.2.1"), Self.text(0x16, "https://example.org/cps"))
        let reference = Self.sequence(Self.text(0x0C, "Example"), Self.sequence(Self.der(0x02, [1])))
        let notice = Self.sequence(
            Self.oid("1.3.6.1.5.5.7.2.2"), Self.sequence(reference, Self.text(0x0C, "Für Tests")))
        let other = Self.sequence(Self.oid("1.2.3"), Self.text(0x0C, "x"))
        let policies = Self.sequence(
            Self.sequence(Self.oid("2.23.140.1.2.1")),
            Self.sequence(Self.oid("1.2.3.4"), Self.sequence(statement, notice, other)))
        #expect(
            try fields("2.5.29.32", policies) == [
                Self.field("Policy Identifier", "2.23.140.1.2.1"), Self.field("Policy Identifier", "1.2.3.4"),
                Self.field("Certification Practice Statement", "https://example.org/cps"),
                Self.field("User Notice", "Für Tests"),
                CertificateField("Policy Qualifier 1.2.3", .data(Array("x".utf8))),
            ])
    }

    @Test(arguments: ["1.3.6.1.5.5.7.1.1", "1.3.6.1.5.5.7.1.11"])
    func placesOfInformation(_ identifier: String) throws {
        let access = Self.sequence(
            Self.sequence(Self.oid("1.3.6.1.5.5.7.48.1"), Self.text(0x86, "http://example.org/ocsp")),
            Self.sequence(Self.oid("1.3.6.1.5.5.7.48.2"), Self.text(0x86, "http://example.org/ca.cer")))
        #expect(
            try fields(identifier, access) == [
                Self.field("Access Method", "1.3.6.1.5.5.7.48.1"), Self.field("URI", "http://example.org/ocsp"),
                Self.field("Access Method", "1.3.6.1.5.5.7.48.2"), Self.field("URI", "http://example.org/ca.cer"),
            ])
    }

    @Test func whatElseIsRead() throws {
        let mappings = Self.sequence(Self.sequence(Self.oid("1.2.3"), Self.oid("1.2.4")))
        #expect(
            try fields("2.5.29.33", mappings) == [
                Self.field("Issuer Domain Policy", "1.2.3"), Self.field("Subject Domain Policy", "1.2.4"),
            ])
        #expect(
            try fields("2.5.29.36", Self.sequence(Self.der(0x80, [0]), Self.der(0x81, [2]))) == [
                Self.field("Require Explicit Policy", "0"), Self.field("Inhibit Policy Mapping", "2"),
            ])
        #expect(try fields("2.5.29.54", Self.der(0x02, [3])) == [Self.field("Skip Certificates", "3")])
        let period = Self.sequence(Self.text(0x80, "20240101000000Z"), Self.text(0x81, "20250101000000Z"))
        #expect(
            try fields("2.5.29.16", period) == [
                Self.field("Not Valid Before", "20240101000000Z"), Self.field("Not Valid After", "20250101000000Z"),
            ])
        let issuer = SampleCertificate.name(("2.5.4.3", 0x0C, "Root"))
        let authority = Self.sequence(
            Self.der(0x80, [4, 5]), Self.der(0xA1, Self.der(0xA4, issuer)), Self.der(0x82, [0x12, 0x34]))
        #expect(
            try fields("2.5.29.35", authority) == [
                CertificateField("Key Identifier", .data([4, 5])),
                Self.field("Authority Issuer Directory Name", "CN=Root"), Self.field("Authority Serial Number", "1234"),
            ])
    }

    @Test func whatCannotBeReadIsBytes() throws {
        let identifiers = [
            "2.5.29.16", "2.5.29.17", "2.5.29.18", "2.5.29.30", "2.5.29.31", "2.5.29.32", "2.5.29.33", "2.5.29.35",
            "2.5.29.36", "2.5.29.46", "2.5.29.54", "1.3.6.1.5.5.7.1.1", "1.3.6.1.5.5.7.1.11", "1.2.3.4",
        ]
        for identifier in identifiers {
            for value in [[1, 2, 3], Self.text(0x0C, "text"), Self.sequence(Self.text(0x0C, "text"))] {
                #expect(try fields(identifier, value) == nil, "\(identifier)")
            }
        }
        // The number of names exceeds the limit, in one extension or in several.
        let name = Self.text(0x82, "a")
        let many = SampleCertificate.der(0x30, [[UInt8]](repeating: name, count: 600).flatMap { $0 })
        let more = SampleCertificate.der(0x30, [[UInt8]](repeating: name, count: 1025).flatMap { $0 })
        #expect(try fields("2.5.29.17", many)?.count == 600)
        #expect(try fields("2.5.29.17", more) == nil)
        var sample = SampleCertificate()
        sample.extensions = ["2.5.29.17", "2.5.29.18"].map { SampleCertificate.element($0, many) }
        let report = try CertificateReader.report(of: sample.der)
        #expect(report.extensions.map { $0.fields?.count } == [600, nil] && report.alternativeNames.count == 600)
    }
}
