extension ItemChange {
    /// The attributes that a change gives a certificate.
    ///
    /// What the certificate says of itself stays as it is. A program may send it along, as it was returned.
    ///
    /// - Parameter own: the attributes that the item has.
    /// - Throws: `errSecParam` for an attribute that contradicts the certificate (behaviour/certificates.md, 14).
    package func attributes(ofCertificate own: AttributeSet) throws(KeychainError) -> AttributeSet {
        var changed = attributes
        for key in AttributeKey.derivedOfCertificates {
            guard let given = attributes[key] else { continue }
            guard let value = own[key], value.matches(given) else {
                throw KeychainError(
                    .param,
                    "the attribute “\(key.name)” contradicts the certificate: delete the item, and add another one")
            }
            changed[key] = nil
        }
        return changed
    }
}
