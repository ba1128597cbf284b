import ChatelaineIPC
import ChatelaineModel

/// The calls of `SecIdentity`, for Swift and for C alike.
package enum IdentityCalls {
    /// `SecIdentityCreate`.
    ///
    /// - Throws: `errSecParam` for a public key, and for a key that does not belong to the certificate, and for what is no certificate.
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

    /// `SecIdentityCreateWithCertificate`: the certificate, wherever it is, and its private key in the data protection keychain.
    ///
    /// - Throws: `errSecItemNotFound` where the caller has no such key.
    package static func find(_ certificate: SecCertificate) throws(KeychainError) -> SecIdentity {
        var query = ItemQuery(itemClass: .key)
        query.attributes[.keyClass] = .number(KeyHalf.privateKey.rawValue)
        query.attributes[.applicationLabel] = .data(try certificate.report().key.hash)
        (query.synchronizable, query.limit, query.returns) = (.any, .all, .reference)
        for item in try KeychainClient.shared.find(query) {
            guard let key = item.key, key.use != nil else { continue }
            return SecIdentity(
                certificate: certificate, privateKey: SecKey(KeyReference(item.persistentReference, key)))
        }
        throw KeychainError(.itemNotFound, "the keychain has no private key of the certificate that can be used")
    }

    /// - Throws: `errSecUnimplemented`: file keychains hold no keys yet.
    package static func refuseKeychain(_ isGiven: Bool) throws(KeychainError) {
        guard !isGiven else {
            throw KeychainError(
                .unimplemented, "file keychains hold no keys yet: give none, for the data protection keychain")
        }
    }
}
