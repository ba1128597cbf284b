import ChatelaineModel
import Crypto
import Foundation
import SwiftASN1
import X509
import _CryptoExtras

/// A certificate with its key, made to a test's wishes, valid or hostile.
struct TestCertificate: Sendable {
    let certificate: Certificate
    let key: Certificate.PrivateKey

    /// The date of these tests, 25 November 2026, on which their certificates are valid by default.
    static let now: Int64 = 1_795_600_000
    static let day: Int64 = 86_400

    /// The properties that a test may change.
    struct Wish {
        var name = "leaf.example.com"
        /// The alternative names, nil for the name as a host name.
        var names: [GeneralName]?
        var isAuthority = false
        var pathLength: Int?
        var version = Certificate.Version.v3
        var hasConstraints = true
        var usage: KeyUsage? = KeyUsage(digitalSignature: true)
        var purposes: [ExtendedKeyUsage.Usage]? = [.serverAuth]
        var from = TestCertificate.now - 10 * TestCertificate.day
        var until = TestCertificate.now + 80 * TestCertificate.day
        var key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        var allowed: NameConstraints?
        var algorithm: Certificate.SignatureAlgorithm?
        /// Extensions that are added as they are.
        var others: [Certificate.Extension] = []
        var subject: DistinguishedName?
        var serial = Certificate.SerialNumber()

        static func authority(_ name: String = "Authority") -> Wish {
            Wish(
                name: name, names: [], isAuthority: true, usage: KeyUsage(keyCertSign: true, cRLSign: true),
                purposes: nil, from: TestCertificate.now - 1000 * TestCertificate.day,
                until: TestCertificate.now + 1000 * TestCertificate.day)
        }

        func with(_ change: (inout Wish) throws -> Void) rethrows -> Wish {
            var wish = self
            try change(&wish)
            return wish
        }
    }

    /// Makes a certificate signed by the issuer, or self-signed without one.
    init(_ wish: Wish = Wish(), by issuer: TestCertificate? = nil) throws {
        let subject =
            wish.subject
            ?? DistinguishedName([
                RelativeDistinguishedName(.init(type: .RDNAttributeType.commonName, utf8String: wish.name))
            ])
        key = wish.key
        var extensions: [Certificate.Extension] = []
        if wish.version == .v3 {
            if wish.hasConstraints {
                extensions.append(
                    try Certificate.Extension(
                        wish.isAuthority
                            ? .isCertificateAuthority(maxPathLength: wish.pathLength) : .notCertificateAuthority,
                        critical: true))
            }
            if let usage = wish.usage { extensions.append(try Certificate.Extension(usage, critical: true)) }
            if let purposes = wish.purposes {
                extensions.append(try Certificate.Extension(try ExtendedKeyUsage(purposes), critical: false))
            }
            let names = wish.names ?? [.dnsName(wish.name)]
            if !names.isEmpty {
                extensions.append(try Certificate.Extension(SubjectAlternativeNames(names), critical: false))
            }
            if let allowed = wish.allowed { extensions.append(try Certificate.Extension(allowed, critical: true)) }
            extensions += wish.others
        }
        let issuerKey = issuer?.key ?? key
        func date(_ seconds: Int64) -> Date { Date(timeIntervalSince1970: TimeInterval(seconds)) }
        let all = try Certificate.Extensions(extensions)
        if let algorithm = wish.algorithm {
            certificate = try Certificate(
                version: wish.version, serialNumber: wish.serial, publicKey: key.publicKey,
                notValidBefore: date(wish.from), notValidAfter: date(wish.until),
                issuer: issuer?.certificate.subject ?? subject, subject: subject, signatureAlgorithm: algorithm,
                extensions: all, issuerPrivateKey: issuerKey)
        } else {
            certificate = try Certificate(
                version: wish.version, serialNumber: wish.serial, publicKey: key.publicKey,
                notValidBefore: date(wish.from), notValidAfter: date(wish.until),
                issuer: issuer?.certificate.subject ?? subject, subject: subject, extensions: all,
                issuerPrivateKey: issuerKey)
        }
    }

    var der: [UInt8] {
        var serializer = DER.Serializer()
        // A new certificate can always be serialized.
        try? serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    /// The certificate with the other valid P-256 signature: s and n - s are equally valid.
    func withTheOtherSignature() throws -> [UInt8] {
        struct NoCertificate: Error {}
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
            0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        return try DER.sequence(try DER.parse(der), identifier: .sequence) { fields in
            guard let signed = fields.next(), let algorithm = fields.next() else { throw NoCertificate() }
            let bits = try ASN1BitString(derEncoded: &fields)
            var raw = Array(try P256.Signing.ECDSASignature(derRepresentation: bits.bytes).rawRepresentation)
            var borrow = 0
            for index in (0..<32).reversed() {
                let difference = Int(order[index]) - Int(raw[32 + index]) - borrow
                raw[32 + index] = UInt8((difference + 256) % 256)
                borrow = difference < 0 ? 1 : 0
            }
            let other = try P256.Signing.ECDSASignature(rawRepresentation: raw).derRepresentation
            var serializer = DER.Serializer()
            try serializer.appendConstructedNode(identifier: .sequence) { inner in
                inner.serializeRawBytes(signed.encodedBytes)
                inner.serializeRawBytes(algorithm.encodedBytes)
                try inner.serialize(ASN1BitString(bytes: Array(other)[...]))
            }
            return serializer.serializedBytes
        }
    }

    var pem: String { PEMDocument(type: "CERTIFICATE", derBytes: der).pemString }
}

extension Certificate.PrivateKey {
    static func rsa() throws -> Certificate.PrivateKey {
        Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits2048))
    }
}
