import ChatelaineModel
import Crypto
import FoundationEssentials
import SignatureFormat
import SwiftASN1
import X509

/// The facts and checks of a single certificate.
extension Certificate {
    /// The one organizational unit of the subject; nil if there is none, more than one, or one that is no text.
    var organizationalUnit: String? {
        let units = subject.flatMap { $0 }.filter { $0.type == .RDNAttributeType.organizationalUnitName }
        guard units.count == 1, let unit = units.first else { return nil }
        return String(unit.value)
    }

    func isOf(_ team: TeamIdentifier) -> Bool {
        guard let unit = organizationalUnit else { return false }
        return unit.utf8.elementsEqual(team.text.utf8)
    }

    /// Whether the certificate declares that it issues others, or has basic constraints that cannot be read.
    var isAuthority: Bool {
        do {
            guard case .isCertificateAuthority? = try extensions.basicConstraints else { return false }
            return true
        } catch {
            return true
        }
    }

    /// Whether its key may be used for `usage`.
    ///
    /// A certificate without a limit allows every use.
    func allows(_ usage: KeyPath<KeyUsage, Bool>) -> Bool {
        do { return try extensions.keyUsage.map { $0[keyPath: usage] } ?? true } catch { return false }
    }

    /// Whether its key is on a supported curve.
    ///
    /// RSA is left out, because short keys and old digests would come with it.
    var hasSupportedKey: Bool {
        P256.Signing.PublicKey(publicKey) != nil || P384.Signing.PublicKey(publicKey) != nil
            || P521.Signing.PublicKey(publicKey) != nil || Curve25519.Signing.PublicKey(publicKey) != nil
    }

    /// SHA-256 of the public key as `SubjectPublicKeyInfo`, encoded anew, so that each key has one digest.
    var keyDigest: Bytes32? {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(publicKey)) != nil else { return nil }
        return Bytes32(hashing: serializer.serializedBytes)
    }

    /// The first and last second of its validity, in seconds since 1970.
    var validity: (from: Int64, until: Int64) {
        (Self.seconds(notValidBefore), Self.seconds(notValidAfter))
    }

    /// Years of a certificate have four digits, so this cannot overflow; the bounds are a second safeguard.
    private static func seconds(_ date: Date) -> Int64 {
        Int64(max(-1e15, min(1e15, date.timeIntervalSince1970.rounded(.down))))
    }

    /// Reads a certificate that fills `bytes` completely.
    static func read(_ bytes: [UInt8], _ name: String) throws(SignatureFlaw) -> Certificate {
        do { return try Certificate(derEncoded: bytes) } catch {
            throw SignatureFlaw(.malformed, "\(name) is no certificate that can be read")
        }
    }
}

extension Bytes32 {
    /// SHA-256 of `bytes`.
    init?(hashing bytes: [UInt8]) { self.init(Array(SHA256.hash(data: bytes))) }
}
