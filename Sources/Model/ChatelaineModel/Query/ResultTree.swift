import ChatelaineMemory

/// A result in its final shape, before it is converted to objects of a language.
///
/// The shape is decided once, by ``ResultTree/shape(_:for:)``; converters to NSDictionary or CFDictionary are leaves
/// that translate node by node.
package indirect enum ResultTree: Sendable {
    case secret(SecretBytes)
    case text(String)
    case data([UInt8])
    case number(Int64)
    /// Only entitlements have a flag or a real number; no search returns one.
    case flag(Bool)
    case real(Double)
    case date(Double)
    case accessControl(AccessControl)
    case reference(PersistentReference)
    case key(KeyReference)
    case symmetricKey(SymmetricKeyReference)
    case keychainItem(KeychainItemHandle)
    /// A certificate (DER), and its item if that is in a file keychain.
    case certificate([UInt8], at: KeychainItemHandle? = nil)
    /// A certificate (DER) and its private key, and the item if that is in a file keychain.
    case identity(certificate: [UInt8], KeyReference, at: KeychainItemHandle? = nil)
    /// Only trust settings have a policy or a trusted application.
    case policy(TrustPolicy)
    case trustedApplication(TrustedApplication)
    case dictionary([(key: String, value: ResultTree)])
    case array([ResultTree])
}

/// A key of the keychain, as results carry it.
package struct KeyReference: Sendable {
    /// The key's item in the data protection keychain; nil for a key in a file keychain.
    package let item: PersistentReference?
    /// The key's item in a file keychain; nil for a key in the data protection keychain.
    package let keychainItem: KeychainItemHandle?
    package let key: KeyDescription
    /// The context of the query that found the key; what was shown in it counts when the key is used.
    package let context: (any QueryContext)?

    package init(_ item: PersistentReference, _ key: KeyDescription, context: (any QueryContext)? = nil) {
        (self.item, keychainItem, self.key, self.context) = (item, nil, key, context)
    }

    package init(_ item: KeychainItemHandle, _ key: KeyDescription, context: (any QueryContext)? = nil) {
        (self.item, keychainItem, self.key, self.context) = (nil, item, key, context)
    }
}

/// An AES key of the keychain, as results carry it.
///
/// It has no bytes. They are fetched when the key is used, or the daemons use the key.
package struct SymmetricKeyReference: Sendable {
    package enum Place: Sendable {
        case dataProtection(PersistentReference)
        case file(KeychainItemHandle)
    }

    package let place: Place
    package let bits: Int
    /// Whether the daemons use the key, and give its bytes to nobody.
    package let isKeptInside: Bool
    /// The context of the query that found the key.
    package let context: (any QueryContext)?

    package init(_ place: Place, bits: Int, isKeptInside: Bool, context: (any QueryContext)?) {
        (self.place, self.bits, self.isKeptInside, self.context) = (place, bits, isKeptInside, context)
    }
}
