import ChatelaineMemory
import ChatelaineModel
import Crypto
import FoundationEssentials
import JWTKit
import SignatureFormat
import SwiftASN1
import X509

/// A private key, its certificate, and the certificates that lead to the anchor, read from PEM files.
///
/// The files are kept in ``SecretBytes``. The libraries need text, and keep the key in memory of their own. The C
/// library overwrites freed memory only if told to, and `security-sign` tells it; nothing else overwrites that memory.
package struct SigningIdentity {
    /// In bytes of all files together. A key and a few certificates need a tenth of it.
    package static let maximumBytes = 64 * 1024

    enum Key {
        case es256(P256.Signing.PrivateKey)
        case edDSA(Curve25519.Signing.PrivateKey)
    }

    let key: Key
    /// DER, the signer's first.
    let certificates: [[UInt8]]
    let signer: Certificate
    /// The team that the signer's certificate names.
    package let team: TeamIdentifier
    /// The anchor, if the files contain it.
    let root: Certificate?

    package init(files: [SecretBytes]) throws(KeychainError) {
        var keys: [Key] = []
        var found: [(bytes: [UInt8], certificate: Certificate)] = []
        for document in try Self.documents(files) {
            switch document.discriminator {
            case "CERTIFICATE":
                guard let certificate = try? Certificate(pemDocument: document) else {
                    throw KeychainError(.param, "a certificate of the identity cannot be read")
                }
                found.append((document.derBytes, certificate))
            case "PRIVATE KEY", "EC PRIVATE KEY": keys.append(try Self.key(document))
            case "ENCRYPTED PRIVATE KEY":
                throw KeychainError(
                    .param, "the private key is encrypted: `openssl pkey -in FILE` writes it without its password")
            // For example the parameters that openssl(1) writes before an EC key.
            default: break
            }
        }
        guard keys.count == 1, let key = keys.first else {
            throw KeychainError(.param, "the identity has \(keys.count) private keys, and has to have one")
        }
        let publicKey = Self.publicKey(of: key)
        guard let signer = found.first(where: { $0.certificate.publicKey == publicKey }) else {
            throw KeychainError(.param, "the identity has no certificate about its private key")
        }
        var chain = [signer]
        while let last = chain.last, last.certificate.issuer != last.certificate.subject,
            chain.count < SignatureLimits.maximumCertificates,
            let issuer = found.first(where: { $0.certificate.subject == last.certificate.issuer })
        {
            chain.append(issuer)
        }
        guard let unit = signer.certificate.organizationalUnit, let team = TeamIdentifier(unit) else {
            throw KeychainError(
                .param, "the signer's certificate has no team: an organizational unit of ten capital letters and digits"
            )
        }
        self.key = key
        self.team = team
        self.signer = signer.certificate
        certificates = chain.map(\.bytes)
        root = chain.last.flatMap { $0.certificate.issuer == $0.certificate.subject ? $0.certificate : nil }
    }

    private static func documents(_ files: [SecretBytes]) throws(KeychainError) -> [PEMDocument] {
        var documents: [PEMDocument] = []
        for file in files {
            let text = file.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            guard let found = try? PEMDocument.parseMultiple(pemString: text), !found.isEmpty else {
                throw KeychainError(.param, "a file of the identity is no PEM")
            }
            documents += found
        }
        return documents
    }

    private static func key(_ document: PEMDocument) throws(KeychainError) -> Key {
        if let key = try? P256.Signing.PrivateKey(derRepresentation: document.derBytes) { return .es256(key) }
        if let key = try? Curve25519.Signing.PrivateKey(pemRepresentation: document.pemString) { return .edDSA(key) }
        throw KeychainError(.param, "the private key is neither for P-256 nor for Ed25519")
    }

    private static func publicKey(of key: Key) -> Certificate.PublicKey {
        switch key {
        case .es256(let key): Certificate.PublicKey(key.publicKey)
        case .edDSA(let key): Certificate.PublicKey(key.publicKey)
        }
    }

    var algorithm: CompactJWS.Algorithm {
        switch key {
        case .es256: .es256
        case .edDSA: .edDSA
        }
    }

    /// Signs `bytes` by means of jwt-kit.
    func sign(_ bytes: [UInt8]) throws(KeychainError) -> [UInt8] {
        let key = key
        let signature = InlineExecutor.run { () -> [UInt8]? in
            let keys = JWTKeyCollection()
            switch key {
            case .es256(let key):
                guard let key = try? ES256PrivateKey(backing: key) else { return nil }
                await keys.add(ecdsa: key)
            case .edDSA(let key): await keys.add(eddsa: EdDSA.PrivateKey(backing: key))
            }
            return try? await keys.getKey().sign(bytes)
        }
        guard let signature = signature ?? nil else { throw KeychainError(.internalComponent, "nothing was signed") }
        return signature
    }
}
