import SwiftASN1
import Testing
import X509

@testable import TrustEvaluation

/// The names of a certificate are found without reading anything else, also in damaged certificates.
struct EncodedNamesTests {
    typealias Wish = TestCertificate.Wish

    @Test func theyAreThoseThatAreRead() throws {
        let root = try TestCertificate(.authority("Root"))
        for version in [Certificate.Version.v1, .v3] {
            let certificate = try TestCertificate(Wish().with { $0.version = version }, by: root)
            let names = try #require(EncodedNames(certificate.der))
            #expect(Array(names.issuer) == root.certificate.subject.bytes)
            #expect(Array(names.subject) == certificate.certificate.subject.bytes)
        }
    }

    /// No damage ends the process, and where swift-certificates still reads the certificate, it reads the same names.
    @Test func damagedBytesGiveNoWrongName() throws {
        let root = try TestCertificate(.authority("Root"))
        let der = try TestCertificate(Wish(), by: root).der
        for index in der.indices {
            for change: UInt8 in [1, 0x20, 0x80, 0xFF] {
                var damaged = der
                damaged[index] ^= change
                check(damaged, "byte \(index), by \(change)")
            }
        }
        for length in 0..<der.count {
            let short = Array(der.prefix(length))
            #expect(EncodedNames(short) == nil, "\(length) bytes")
            check(Array(der.dropFirst(length)), "without \(length) bytes")
        }
    }

    @Test func lengthsThatLeadOutAreNone() {
        for head: [UInt8] in [
            [], [0x30], [0x30, 0x80], [0x30, 0x81], [0x30, 0x81, 0xFF], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x30, 0x85, 0, 0, 0, 0, 0], [0x30, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0xFF],
        ] {
            #expect(EncodedNames(head) == nil)
            #expect(EncodedNames([0x30, UInt8(head.count)] + head) == nil)
        }
    }

    private func check(_ der: [UInt8], _ what: String) {
        let names = EncodedNames(der)
        guard let read = try? Certificate(derEncoded: der) else { return }
        // A reader replaces invalid bytes in text, so the raw bytes are not compared.
        let found = names.map { [$0.issuer, $0.subject] } ?? []
        #expect(
            found.compactMap { try? DistinguishedName(derEncoded: try DER.parse($0)) } == [read.issuer, read.subject],
            "\(what)"
        )
    }
}
