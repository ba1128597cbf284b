import ChatelaineModel
import Glibc
import Testing

@testable import SecurityTool

/// Whose certificate is taken for a name.
struct CMSPeopleTests {
    /// One that is valid for a day, and began so many seconds ago.
    private func certificate(of name: String, label: String? = nil, age: Int64 = 100) -> StoredCertificate {
        let subject = CertificateName(
            encoded: [], normalized: [],
            parts: [CertificateName.Part(identifier: NameAttribute.commonName, text: name)])
        let now = Int64(time(nil))
        let report = CertificateReport(
            version: 3, serialNumber: [1], signatureAlgorithm: "1.2.3", issuer: subject, subject: subject,
            notBefore: now - age, notAfter: now + 86_400,
            key: CertificateKey(algorithm: "1.2.3", kind: .rsa, bits: 2048, representation: [], hash: []))
        return StoredCertificate(der: [UInt8](name.utf8), report: report, place: .dataProtection, label: label)
    }

    /// Any program stores certificates, under labels of its own.
    @Test func aLabelIsNobodysName() throws {
        let anna = certificate(of: "anna")
        let people = CMSPeople([certificate(of: "mallory", label: "anna", age: 10), anna])
        #expect(try people.recipient("anna").der == anna.der)
        #expect(try people.recipient("mallory").commonName == "mallory")
        let alone = CMSPeople([certificate(of: "mallory", label: "anna")])
        #expect(throws: KeychainError(.itemNotFound, "")) { try alone.recipient("anna") }
    }

    /// Of several that bear a name, the one that is that person's by all that is known here; without that the newest.
    @Test func thoseThatAreTrustedComeFirst() throws {
        let (old, new) = (certificate(of: "anna", age: 1000), certificate(of: "anna", age: 10))
        for trusted in [old, new] {
            let people = CMSPeople([old, new]) { certificate, word in
                word == "anna" && certificate.report?.notBefore == trusted.report?.notBefore
            }
            #expect(try people.recipient("anna").report?.notBefore == trusted.report?.notBefore)
        }
        let unknown = CMSPeople([old, new]) { _, _ in false }
        #expect(try unknown.recipient("ANNA").report?.notBefore == new.report?.notBefore)
    }
}
