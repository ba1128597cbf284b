import ChatelaineModel
import Crypto
import Foundation
import SwiftASN1
import X509

@testable import CodeSignatures
@testable import SignatureFormat

/// A certificate with its key, made to a test's wishes.
struct TestCertificate {
    var certificate: Certificate
    var key: Certificate.PrivateKey
    var signing: SigningIdentity.Key

    /// The properties that a test may change.
    struct Wish {
        var name = "Test"
        var units = [TestTeam.team.text]
        var isAuthority = false
        var usage: KeyUsage? = KeyUsage(digitalSignature: true)
        var purposes: [ExtendedKeyUsage.Usage]? = [.codeSigning]
        var isPurposeCritical = false
        var from = TestTeam.now - 1000
        var until = TestTeam.now + 1000
        var key = SigningIdentity.Key.es256(P256.Signing.PrivateKey())
        /// Used instead of the key above. Nothing here signs with it.
        var otherKey: Certificate.PrivateKey?

        static var authority: Wish {
            Wish(name: "Authority", isAuthority: true, usage: KeyUsage(keyCertSign: true), purposes: nil)
        }
    }

    /// Makes a certificate signed by the issuer, or self-signed without one.
    init(_ wish: Wish, by issuer: TestCertificate? = nil) throws {
        let subject = DistinguishedName(
            [
                RelativeDistinguishedName(
                    .init(type: .RDNAttributeType.commonName, utf8String: wish.name))
            ]
                + wish.units.map { unit in
                    RelativeDistinguishedName(
                        .init(type: .RDNAttributeType.organizationalUnitName, utf8String: unit))
                })
        signing = wish.key
        key =
            switch wish.key {
            case .es256(let key): wish.otherKey ?? Certificate.PrivateKey(key)
            case .edDSA(let key): Certificate.PrivateKey(key)
            }
        var extensions: [Certificate.Extension] = [
            try Certificate.Extension(
                wish.isAuthority ? .isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority,
                critical: true)
        ]
        if let usage = wish.usage { extensions.append(try Certificate.Extension(usage, critical: true)) }
        if let purposes = wish.purposes {
            extensions.append(
                try Certificate.Extension(try ExtendedKeyUsage(purposes), critical: wish.isPurposeCritical))
        }
        let issuerKey = issuer?.key ?? key
        certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: Date(timeIntervalSince1970: TimeInterval(wish.from)),
            notValidAfter: Date(timeIntervalSince1970: TimeInterval(wish.until)),
            issuer: issuer?.certificate.subject ?? subject, subject: subject,
            extensions: try Certificate.Extensions(extensions), issuerPrivateKey: issuerKey)
    }

    var der: [UInt8] {
        var serializer = DER.Serializer()
        // A new certificate can always be serialized.
        try? serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    var pem: String { PEMDocument(type: "CERTIFICATE", derBytes: der).pemString }
}
