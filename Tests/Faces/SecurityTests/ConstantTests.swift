import ChatelaineModel
import Foundation
import Testing

@testable import Security

/// Tests that every constant has its value from the table, and that no constant of the table is missing.
struct ConstantTests {
    @Test func itemConstantsAreThoseOfTheTable() throws {
        let rows = try ReferenceTable("secitem-constants.tsv").rows
        #expect(rows.count == 165)
        #expect(CompiledConstants.items.count == rows.count)
        for (compiled, row) in zip(CompiledConstants.items, rows) {
            #expect(compiled.name == row[0])
            #expect("\"\(compiled.value)\"" == row[1], "\(row[0])")
        }
    }

    @Test func statusCodesAreThoseOfTheTable() throws {
        let rows = try ReferenceTable("status-codes.tsv").rows
        #expect(rows.count == 458)
        let compiled = Dictionary(uniqueKeysWithValues: CompiledConstants.statuses.map { ($0.name, $0.value) })
        #expect(compiled.count == rows.count)
        for row in rows {
            #expect(compiled[row[0]] == Int32(row[1]), "\(row[0])")
        }
    }

    @Test func constantsOfAccessObjectsAreThoseOfTheTable() throws {
        let rows = try ReferenceTable("api.tsv").rows.filter { $0[1] == "constant" && $0[4] == "1" }
        let values = Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[3]) })
        #expect(CompiledConstants.rights.count == 23 && CompiledConstants.numbers.count > 60)
        for (name, value) in CompiledConstants.rights { #expect("\"\(value)\"" == values[name], "\(name)") }
        for (name, value) in CompiledConstants.numbers { #expect("\(value)" == values[name], "\(name)") }
        // The model knows each right by its string.
        #expect(Set(CompiledConstants.rights.map(\.value)) == Set(ACLAuthorization.table.map(\.constant)))
    }

    @Test func identifiersOfCertificatesAreThoseOfTheTable() throws {
        let rows = try ReferenceTable("api.tsv").rows.filter { $0[0].hasPrefix("kSecOID") }
        let compiled = Dictionary(uniqueKeysWithValues: CompiledConstants.certificates.map { ($0.name, $0.value) })
        #expect(rows.count == 122 && compiled.count == rows.count)
        for row in rows { #expect(compiled[row[0]].map { "\"\($0)\"" } == row[3], "\(row[0])") }
    }

    @Test func casesOfKeychainsAreThoseOfTheTable() throws {
        let rows = try ReferenceTable("api.tsv").rows.filter { $0[1] == "enum-case" }
        let values = Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[3]) })
        #expect(CompiledConstants.cases.count > 70)
        for (name, value) in CompiledConstants.cases { #expect("\(value)" == values[name], "\(name)") }
    }

    @Test func usesAndTagsOfCertificatesAreThoseOfTheTable() throws {
        let rows = try ReferenceTable("api.tsv").rows.filter { $0[2] == "SecCertificate" }
        let values = Dictionary(rows.map { ($0[0], $0[3]) }, uniquingKeysWith: { first, _ in first })
        let uses: [(String, SecKeyUsage)] = [
            ("digitalSignature", .digitalSignature), ("nonRepudiation", .nonRepudiation),
            ("contentCommitment", .contentCommitment), ("keyEncipherment", .keyEncipherment),
            ("dataEncipherment", .dataEncipherment), ("keyAgreement", .keyAgreement), ("keyCertSign", .keyCertSign),
            ("crlSign", .crlSign), ("encipherOnly", .encipherOnly), ("decipherOnly", .decipherOnly),
            ("critical", .critical), ("all", .all),
        ]
        for (name, usage) in uses { #expect("\(usage.rawValue)" == values["SecKeyUsage.\(name)"], "\(name)") }
        // The values of a certificate have the same number.
        #expect(UInt64(SecKeyUsage.critical.rawValue) == CertificateReport.criticalUsage)
        let tags = [
            ("kSecCertTypeItemAttr", kSecCertTypeItemAttr), ("kSecCertEncodingItemAttr", kSecCertEncodingItemAttr),
            ("kSecSubjectItemAttr", kSecSubjectItemAttr), ("kSecIssuerItemAttr", kSecIssuerItemAttr),
            ("kSecSerialNumberItemAttr", kSecSerialNumberItemAttr),
            ("kSecSubjectKeyIdentifierItemAttr", kSecSubjectKeyIdentifierItemAttr),
            ("kSecPublicKeyHashItemAttr", kSecPublicKeyHashItemAttr),
        ]
        for (name, tag) in tags {
            #expect("\(tag)" == values[name], "\(name)")
            // The calls for the attributes of items accept the tag.
            #expect(throws: Never.self, "\(name)") { try AttributeTag(UInt32(tag), of: .certificate) }
        }
    }

    @Test func wellKnownValues() {
        #expect(errSecSuccess == 0 && noErr == 0)
        #expect(errSecParam == -50)
        #expect(errSecItemNotFound == -25300)
        #expect(errSecDskFull == errSecDiskFull)
        #expect(kSecAttrProtocolFTP == "ftp ")
        #expect(kSecAttrKeyType == kSecAttrType)
    }
}
