import ChatelaineMemory
import ChatelaineModel
import Crypto
import FoundationEssentials
import SwiftASN1
import X509

/// A new development team: an anchor and a signer, both with P-256 keys.
package struct DevelopmentIdentity {
    private static let anchorYears = 10
    private static let signerYears = 2
    private static let year: TimeInterval = 365 * 86_400
    /// In seconds: clocks of machines that verify may be behind.
    private static let lead: TimeInterval = 3600

    /// The content of `TEAMID.pem`: the anchor's certificate, which is no secret.
    package let anchor: [UInt8]
    /// The content of `TEAMID-anchor-key.pem`, the key that makes more signers, and profiles.
    package let anchorKey: SecretBytes
    /// The content of `TEAMID-signer.pem`, with which programs are signed: the key and both certificates.
    package let signer: SecretBytes

    /// - Parameter now: seconds since 1970.
    package init(team: TeamIdentifier, commonName: String, now: Int64) throws(KeychainError) {
        let ending = " Anchor"
        // `ub-common-name` of RFC 5280.
        let most = 64 - ending.utf8.count
        guard !commonName.isEmpty, commonName.utf8.count <= most else {
            throw KeychainError(.param, "the common name has to have one to \(most) bytes")
        }
        do {
            let start = Date(timeIntervalSince1970: TimeInterval(now))
            let rootKey = P256.Signing.PrivateKey()
            let rootName = try DistinguishedName {
                CommonName(commonName + ending)
                OrganizationalUnitName(team.text)
            }
            let root = try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(rootKey.publicKey), notValidBefore: start - Self.lead,
                notValidAfter: start + Self.year * TimeInterval(Self.anchorYears), issuer: rootName, subject: rootName,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                    Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                    SubjectKeyIdentifier(hash: Certificate.PublicKey(rootKey.publicKey))
                }, issuerPrivateKey: Certificate.PrivateKey(rootKey))
            let key = P256.Signing.PrivateKey()
            let signer = try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(key.publicKey), notValidBefore: start - Self.lead,
                notValidAfter: start + Self.year * TimeInterval(Self.signerYears), issuer: rootName,
                subject: try DistinguishedName {
                    CommonName(commonName)
                    OrganizationalUnitName(team.text)
                }, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage([.codeSigning])
                    AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: root.publicKey).keyIdentifier)
                }, issuerPrivateKey: Certificate.PrivateKey(rootKey))
            let chain = [try signer.serializeAsPEM().pemString, try root.serializeAsPEM().pemString]
            anchor = Array((chain[1] + "\n").utf8)
            anchorKey = SecretBytes((rootKey.pemRepresentation + "\n").utf8)
            self.signer = SecretBytes((([key.pemRepresentation] + chain).joined(separator: "\n") + "\n").utf8)
        } catch {
            throw KeychainError(.internalComponent, "no certificate could be made")
        }
    }
}
