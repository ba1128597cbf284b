import ChatelaineIPC
import ChatelaineIdentityPreferences
import ChatelaineModel

/// The calls about preferred identities and certificates, for Swift and for C alike.
package enum PreferenceCalls {
    /// - Parameter identity: nil removes the preference.
    package static func set(
        _ identity: SecIdentity?, for name: QueryValue, _ usage: QueryValue?
    ) throws(KeychainError) {
        let name = try text(name)
        try set(
            try identity.map { (identity) throws(KeychainError) in
                (try reference(of: identity.certificate, as: .identity), identity.certificate)
            }, .identity, name, usage)
    }

    /// - Parameter certificate: nil removes the preference.
    package static func set(
        _ certificate: SecCertificate?, for name: QueryValue, _ usage: QueryValue?
    ) throws(KeychainError) {
        let name = try text(name)
        try set(
            try certificate.map { (certificate) throws(KeychainError) in
                (try reference(of: certificate, as: .certificate), certificate)
            }, .certificate, name, usage)
    }

    private static func set(
        _ preferred: (reference: [UInt8], certificate: SecCertificate)?, _ kind: IdentityPreferences.Kind,
        _ name: String, _ usage: QueryValue?
    ) throws(KeychainError) {
        let preferences = IdentityPreferences(
            kind, usage: try bits(usage), of: KeychainClient.shared, KeychainItemCalls.authenticationUI)
        guard let preferred else { return try preferences.remove(name) }
        try preferences.set(
            preferred.reference, called: try preferred.certificate.report().summary ?? "certificate", for: name)
    }

    /// - Parameter issuers: names in DER, of which one must be the issuer's; nil or an empty array allows any.
    package static func identity(
        for name: QueryValue, _ usage: QueryValue?, issuers: QueryValue?
    ) throws(KeychainError) -> SecIdentity {
        guard case .identity(let der, let key, let handle)? = try find(.identity, name, usage) else { throw missing }
        let identity = SecIdentity(der, key, at: handle)
        let report = try identity.certificate.report()
        let names = try data(issuers)
        guard
            names.isEmpty || names.contains(report.issuer.encoded)
                || names.contains(report.issuer.normalizedSequence)
        else { throw missing }
        return identity
    }

    package static func certificate(
        for name: QueryValue, _ usage: QueryValue?
    ) throws(KeychainError) -> SecCertificate {
        guard case .certificate(let der, let handle)? = try find(.certificate, name, usage) else { throw missing }
        return SecCertificate(der: der, at: handle)
    }

    private static func find(
        _ kind: IdentityPreferences.Kind, _ name: QueryValue, _ usage: QueryValue?
    ) throws(KeychainError) -> ResultTree? {
        let preferences = IdentityPreferences(
            kind, usage: try bits(usage), of: KeychainClient.shared, KeychainItemCalls.authenticationUI)
        let reference = try preferences.reference(for: try text(name))
        return try ItemCalls.find([("v_PersistentRef", .data(reference)), ("r_Ref", .number(1))], hasPlace: true)
    }

    /// Returns a persistent reference to a certificate, or to its identity.
    private static func reference(of certificate: SecCertificate, as itemClass: ItemClass) throws(KeychainError)
        -> [UInt8]
    {
        if let handle = certificate.keychainItem { return handle.naming(itemClass).reference.bytes }
        var query = ItemQuery(itemClass: .certificate)
        (query.certificates, query.synchronizable) = ([certificate.der], .any)
        guard let found = try KeychainClient.shared.find(query).first else { throw missing }
        return PersistentReference(itemClass: itemClass, identifier: found.identifier).bytes
    }

    // MARK: Arguments

    private static var missing: KeychainError {
        KeychainError(.itemNotFound, "what is preferred is in no keychain that this program sees")
    }

    private static func text(_ name: QueryValue) throws(KeychainError) -> String {
        guard case .text(let text) = name else { throw KeychainError(.param, "the name of a preference is a string") }
        return text
    }

    private static func bits(_ usage: QueryValue?) throws(KeychainError) -> Int64 {
        Int64(try KeyUses(names: usage).bits)
    }

    private static func data(_ issuers: QueryValue?) throws(KeychainError) -> [[UInt8]] {
        guard let issuers else { return [] }
        guard case .array(let elements) = issuers else { throw KeychainError(.param, "issuers are an array of data") }
        return try elements.map { (element) throws(KeychainError) in
            guard case .data(let name) = element else { throw KeychainError(.param, "issuers are an array of data") }
            return name
        }
    }
}
