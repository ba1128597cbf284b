import ChatelaineIPC
import ChatelaineModel

/// The `SecIdentity` calls, for Swift and for C alike.
package enum IdentityCalls {
    /// `SecIdentityCreate`.
    ///
    /// - Throws: `errSecParam` for a public key, for a key that does not belong to the certificate, and for bytes
    ///   that are no certificate.
    package static func make(
        _ certificate: SecCertificate, _ privateKey: SecKey
    ) throws(KeychainError) -> SecIdentity {
        guard privateKey.isPrivate else {
            throw KeychainError(.param, "an identity has a private key, and this one is public")
        }
        guard try certificate.report().key.representation == privateKey.publicBytes else {
            throw KeychainError(.param, "the private key does not belong to the certificate")
        }
        return SecIdentity(certificate: certificate, privateKey: privateKey)
    }

    /// `SecIdentityCreateWithCertificate`: combines a certificate from anywhere with its private key in a keychain.
    ///
    /// - Parameter keychains: the keychains to search for the key; nil for the data protection keychain, and then the
    ///   search list.
    /// - Throws: `errSecItemNotFound` where the caller has no such key.
    package static func find(
        _ certificate: SecCertificate, in keychains: [SecKeychain]?
    ) throws(KeychainError) -> SecIdentity {
        var query = ItemQuery(itemClass: .key)
        query.attributes[.keyClass] = .number(KeyHalf.privateKey.rawValue)
        let publicKey = try certificate.report().key
        query.attributes[.applicationLabel] = .data(publicKey.hash)
        (query.synchronizable, query.limit, query.returns) = (.any, .all, .reference)
        if keychains == nil, let key = try key(query, publicKey) {
            return SecIdentity(certificate: certificate, privateKey: key)
        }
        query.authenticationUI = KeychainItemCalls.authenticationUI
        let scope = try KeychainPasswordCalls.scope(of: keychains)
        for item in try KeychainClient.shared.find(query, in: scope) {
            guard let key = item.item.key, key.isPrivateHalf(of: publicKey) else { continue }
            return SecIdentity(certificate: certificate, privateKey: SecKey(KeyReference(item.handle, key)))
        }
        throw KeychainError(.itemNotFound, "no keychain has a private key of the certificate that can be used")
    }

    /// The private key in the data protection keychain; nil where it has none, or where the program has no
    /// entitlement for it.
    private static func key(_ query: ItemQuery, _ publicKey: CertificateKey) throws(KeychainError) -> SecKey? {
        do throws(KeychainError) {
            for item in try KeychainClient.shared.find(query) {
                if let key = item.key, key.isPrivateHalf(of: publicKey) {
                    return SecKey(KeyReference(item.persistentReference, key))
                }
            }
            return nil
        } catch {
            guard error.status == .itemNotFound || error.status == .missingEntitlement else { throw error }
            return nil
        }
    }
}
