import ChatelaineMemory

/// A result in its final shape, before it becomes objects of some language.
///
/// The shape is decided once, by ``ResultTree/shape(_:for:)``; converters to NSDictionary or CFDictionary are leaves
/// that translate node by node.
package indirect enum ResultTree: Sendable {
    case secret(SecretBytes)
    case text(String)
    case data([UInt8])
    case number(Int64)
    /// Entitlements alone have this and the next; no search returns one.
    case flag(Bool)
    case real(Double)
    case date(Double)
    case accessControl(AccessControl)
    case reference(PersistentReference)
    case key(KeyReference)
    case symmetricKey(SymmetricKeyReference)
    case keychainItem(KeychainItemHandle)
    /// A certificate (DER), and where it is, if that is a file keychain.
    case certificate([UInt8], at: KeychainItemHandle? = nil)
    /// A certificate (DER) and its private key, likewise.
    case identity(certificate: [UInt8], KeyReference, at: KeychainItemHandle? = nil)
    /// Settings of trust alone have these two.
    case policy(TrustPolicy)
    case trustedApplication(TrustedApplication)
    case dictionary([(key: String, value: ResultTree)])
    case array([ResultTree])
}

/// A key of the keychain, as results carry it.
package struct KeyReference: Sendable {
    /// Its item in the data protection keychain; nil of one in a file keychain.
    package let item: PersistentReference?
    /// Its item in a file keychain.
    package let keychainItem: KeychainItemHandle?
    package let key: KeyDescription
    /// That of the query that found it: what is shown there counts when the key is used.
    package let context: (any QueryContext)?

    package init(_ item: PersistentReference, _ key: KeyDescription, context: (any QueryContext)? = nil) {
        (self.item, keychainItem, self.key, self.context) = (item, nil, key, context)
    }

    package init(_ item: KeychainItemHandle, _ key: KeyDescription, context: (any QueryContext)? = nil) {
        (self.item, keychainItem, self.key, self.context) = (nil, item, key, context)
    }
}

/// A key of AES in the keychain, as results carry it: its bytes are fetched by whoever uses it.
package struct SymmetricKeyReference: Sendable {
    package enum Place: Sendable {
        case dataProtection(PersistentReference)
        case file(KeychainItemHandle)
    }

    package let place: Place
    package let bits: Int
    /// That of the query that found it.
    package let context: (any QueryContext)?

    package init(_ place: Place, bits: Int, context: (any QueryContext)?) {
        (self.place, self.bits, self.context) = (place, bits, context)
    }
}
