import ChatelaineModel
import Glibc
import Testing

@testable import SecurityTool

/// Tests of which certificate is taken for a name.
struct CMSCertificateLookupTests {
    /// A certificate that is valid for a day and whose validity began `age` seconds ago.
    private func certificate(of name: String, label: String? = nil, age: Int64 = 100) -> StoredCertificate {
        let subject = CertificateName(
            encoded: [], normalized: [],
            parts: [CertificateName.Part(identifier: NameAttribute.commonName, text: name)])
        let now = Int64(time(nil))
        let report = CertificateReport(
            version: 3, serialNumber: [1], signatureAlgorithm: "1.2.3", issuer: subject, subject: subject,
            notBefore: now - age, notAfter: now + 86_400,
            key: CertificateKey(algorithm: "1.2.3", kind: .rsa, bits: 2048, representation: [], hash: []))
        return StoredCertificate(
            der: name.utf8 + [UInt8(age % 251)], report: report, place: .dataProtection, label: label)
    }

    /// Any program can store a certificate under any label, so a label does not name a person.
    @Test func aLabelIsNobodysName() throws {
        let anna = certificate(of: "anna")
        let people = CMSCertificateLookup([certificate(of: "mallory", label: "anna", age: 10), anna])
        #expect(try people.recipient("anna").der == anna.der)
        #expect(try people.recipient("mallory").commonName == "mallory")
        let alone = CMSCertificateLookup([certificate(of: "mallory", label: "anna")])
        #expect(throws: KeychainError(.itemNotFound, "")) { try alone.recipient("anna") }
    }

    /// Of several certificates with a name, the trusted one is taken.
    @Test func thoseThatAreTrustedComeFirst() throws {
        let (old, new) = (certificate(of: "anna", age: 1000), certificate(of: "anna", age: 10))
        for trusted in [old, new] {
            let people = CMSCertificateLookup([old, new]) { certificate, word in
                word == "anna" && certificate.report?.notBefore == trusted.report?.notBefore
            }
            #expect(try people.recipient("anna").report?.notBefore == trusted.report?.notBefore)
        }
        #expect(try CMSCertificateLookup([old, old]) { _, _ in false }.recipient("ANNA").der == old.der)
    }

    /// A certificate named like another's digest is not taken for it, and a stranger's certificate does not replace an
    /// expired one.
    @Test func aNameIsNoDigestAndNoSuccessor() throws {
        let anna = certificate(of: "anna", age: 1000)
        let digest = try anna.digest(.sha1)
        let people = CMSCertificateLookup([anna, certificate(of: digest, age: 10)]) { _, _ in false }
        #expect(try people.recipient(digest).der == anna.der)
        var report = anna.report
        report?.notAfter = 1
        let old = StoredCertificate(der: [1], report: report, place: .dataProtection)
        let successors = CMSCertificateLookup([old, certificate(of: "anna", age: 10)]) { _, _ in false }
        #expect(throws: KeychainError(.param, "")) { try successors.recipient("anna") }
    }

    /// A stranger's newer certificates with the same name, few or many, get no message: if none is found to be trusted,
    /// none is taken.
    @Test(arguments: [1, 40]) func whoIsMeantIsNotGuessed(_ planted: Int) throws {
        let anna = certificate(of: "anna", age: 1000)
        let others = (0..<planted).map { number in
            StoredCertificate(
                der: [UInt8(number)], report: certificate(of: "anna", age: 10).report, place: .dataProtection)
        }
        let people = CMSCertificateLookup(others + [anna]) { certificate, _ in certificate.der == anna.der }
        if planted == 1 {
            #expect(try people.recipient("anna").der == anna.der)
        } else {
            #expect(throws: KeychainError(.param, "")) { try people.recipient("anna") }
        }
        let nobody = CMSCertificateLookup(others + [anna]) { _, _ in false }
        #expect(throws: KeychainError(.param, "")) { try nobody.recipient("anna") }
        #expect(try nobody.recipient(try anna.digest(.sha1)).der == anna.der)
        #expect(try nobody.recipient(try anna.digest(.sha256).lowercased()).der == anna.der)
    }
}
