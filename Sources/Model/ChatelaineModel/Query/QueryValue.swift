import ChatelaineMemory

/// A value of a caller's dictionary, taken out of NSDictionary or CFDictionary and not yet understood.
package enum QueryValue: Sendable {
    case text(String)
    case data([UInt8])
    /// Data given for `kSecValueData`.
    case secret(SecretBytes)
    /// Integers and booleans: Foundation on Linux does not keep them apart reliably.
    case number(Int64)
    /// A number that is not whole, or beyond 64 bits.
    case real(Double)
    /// Seconds since 1 January 2001, 00:00 UTC.
    case date(Double)
    /// The 16 bytes of a UUID object.
    case uuid([UInt8])
    case null
    /// The first objects of an array, one more than ``Limits/listedItems`` at most; an array among them is empty.
    case array([QueryValue])
    /// The pairs of a dictionary that is a value itself; one among those is ``other``. No query has any.
    case pairs([(key: String, value: QueryValue)])
    case accessControl(AccessControl)
    /// A reference to an item, as results carry it.
    case reference(PersistentReference)
    /// A key, in the program's memory or in the keychain.
    case key(any GivenKey)
    /// A certificate (DER), and where it is, if it was found in a file keychain.
    case certificate([UInt8], at: KeychainItemHandle? = nil)
    /// A certificate (DER) and its private key, as one object; and likewise.
    case identity(certificate: [UInt8], any GivenKey, at: KeychainItemHandle? = nil)
    /// A reference to an item of a file keychain.
    case keychainItem(KeychainItemHandle)
    /// A file keychain, by its resolved path.
    case keychain(String)
    /// Who may use an item of one.
    case access(AccessObject)
    /// What a certificate has to be good for.
    case policy(TrustPolicy)
    /// A program; settings of trust have it, and no query.
    case trustedApplication(TrustedApplication)
    /// What an authentication context of the program's stands for; the face knows it, and a query does not.
    case context(any QueryContext)
    /// An object of a type that has no meaning in any query.
    case other

    /// The item of a file keychain that it stands for; nil of everything else.
    var keychainItem: KeychainItemHandle? {
        switch self {
        case .keychainItem(let handle): handle
        case .certificate(_, let handle), .identity(_, _, let handle): handle
        case .key(let key): key.keychainItem
        default: nil
        }
    }

    /// True or false, or nil for whatever is neither.
    package var boolean: Bool? {
        switch self {
        case .number(0): false
        case .number(1): true
        default: nil
        }
    }
}

/// A key that is given as an object, which the face knows.
package protocol GivenKey: AnyObject, Sendable {
    /// Its item in the data protection keychain; nil of every other key.
    var item: PersistentReference? { get }
    /// Its item in a file keychain; nil of every other key.
    var keychainItem: KeychainItemHandle? { get }
    /// Nil of a symmetric key.
    var kind: KeyKind? { get }
    /// What it has by itself. `errSecNotAvailable` without libcrypto.
    func ownAttributes() throws(KeychainError) -> KeyAttributes
    /// The external representation; `errSecUnimplemented` for one that never leaves the keychain.
    func ownRepresentation() throws(KeychainError) -> SecretBytes
}

/// What is given under `kSecUseAuthenticationContext`. Who sends the request takes it out of the pairs (``QueryParser/context(of:)``).
package protocol QueryContext: AnyObject, Sendable {}
