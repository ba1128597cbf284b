import ChatelaineModel
import Crypto
import Foundation
import SwiftASN1
import X509

@testable import CodeSignatures
@testable import SignatureFormat

/// A certificate with its key, made as a test wants it.
struct TestCertificate {
    var certificate: Certificate
    var key: Certificate.PrivateKey
    var signing: SigningIdentity.Key

    /// What a test may want otherwise.
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
        /// Instead of the key above, one that nothing here signs with.
        var otherKey: Certificate.PrivateKey?

        static var authority: Wish {
            Wish(name: "Authority", isAuthority: true, usage: KeyUsage(keyCertSign: true), purposes: nil)
        }
    }

    /// By its own key where there is no issuer.
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
        // A certificate that was just made can be written.
        try? serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    var pem: String { PEMDocument(type: "CERTIFICATE", derBytes: der).pemString }
}
