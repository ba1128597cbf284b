import ChatelaineMemory

/// A value of a caller's dictionary, taken out of NSDictionary or CFDictionary and not yet interpreted.
package enum QueryValue: Sendable {
    case text(String)
    case data([UInt8])
    /// Data given for `kSecValueData`.
    case secret(SecretBytes)
    /// Integers and booleans, where the key takes these (``isBooleanTaken(by:)``).
    case number(Int64)
    /// A number that is not whole, or beyond 64 bits.
    case real(Double)
    /// Seconds since 1 January 2001, 00:00 UTC.
    case date(Double)
    /// The 16 bytes of a UUID object.
    case uuid([UInt8])
    case null
    /// The first objects of an array, at most one more than ``Limits/listedItems``; an array among them is empty.
    case array([QueryValue])
    /// The pairs of a dictionary that is a value itself.
    ///
    /// A dictionary inside it is ``other``. No query has such a value.
    case pairs([(key: String, value: QueryValue)])
    case accessControl(AccessControl)
    /// A reference to an item, as results carry it.
    case reference(PersistentReference)
    /// A key, in the program's memory or in the keychain.
    case key(any GivenKey)
    /// A certificate (DER), and its item if it was found in a file keychain.
    case certificate([UInt8], at: KeychainItemHandle? = nil)
    /// A certificate (DER) and its private key as one object, and its item if it was found in a file keychain.
    case identity(certificate: [UInt8], any GivenKey, at: KeychainItemHandle? = nil)
    /// A reference to an item of a file keychain.
    case keychainItem(KeychainItemHandle)
    /// A file keychain, by its resolved path.
    case keychain(String)
    /// The access object of an item in a file keychain.
    case access(AccessObject)
    /// A policy that certificates have to satisfy.
    case policy(TrustPolicy)
    /// A program; trust settings have such a value, and queries do not.
    case trustedApplication(TrustedApplication)
    /// An authentication context of the program. The library's front end knows its meaning; a query does not.
    case context(any QueryContext)
    /// An object of a type that has no meaning in any query.
    case other

    /// The item of a file keychain that the value stands for; nil for everything else.
    var keychainItem: KeychainItemHandle? {
        switch self {
        case .keychainItem(let handle): handle
        case .certificate(_, let handle), .identity(_, _, let handle): handle
        case .key(let key): key.keychainItem
        default: nil
        }
    }

    /// Whether a boolean may be the value of a key; for those that take other numbers alone it may not.
    ///
    /// Whoever makes a value of an object knows whether it is a boolean, and the value does not.
    package static func isBooleanTaken(by key: String) -> Bool {
        guard key != QueryKey.matchLimit else { return false }
        // Most booleans are values of other keys of a query, which name no attribute. So the attributes of all classes
        // need not be put together for the first call of a process.
        guard let attribute = AttributeKey(key) else { return true }
        return !attributesWithoutBooleans.contains(attribute)
    }

    private static let attributesWithoutBooleans: Set<AttributeKey> = Set(
        ItemClass.allCases.flatMap { AttributeSchema.of($0).columns }.filter { !$0.kind.takesBooleans }.map(\.key))

    /// True or false; nil for any other value.
    package var boolean: Bool? {
        switch self {
        case .number(0): false
        case .number(1): true
        default: nil
        }
    }

    /// True or false, as the value of a key.
    ///
    /// - Parameter name: the name of the key for people, as ``KeyName`` has it.
    /// - Throws: `errSecParam` for any other value: text such as "false" must not count as true.
    @discardableResult
    package func boolean(of name: String) throws(KeychainError) -> Bool {
        guard let boolean else { throw KeychainError(.param, "the value of \(name) must be a boolean") }
        return boolean
    }
}

/// A key that is given as an object of the library's front end.
package protocol GivenKey: AnyObject, Sendable {
    /// The key's item in the data protection keychain; nil for every other key.
    var item: PersistentReference? { get }
    /// The key's item in a file keychain; nil for every other key.
    var keychainItem: KeychainItemHandle? { get }
    /// Nil for a symmetric key.
    var kind: KeyKind? { get }
    /// The attributes of the key itself.
    ///
    /// - Throws: `errSecNotAvailable` without libcrypto.
    func ownAttributes() throws(KeychainError) -> KeyAttributes
    /// The external representation; `errSecUnimplemented` for one that never leaves the keychain.
    func ownRepresentation() throws(KeychainError) -> SecretBytes
}

/// The value of `kSecUseAuthenticationContext`, which the sender of the request takes out of the pairs.
///
/// ``QueryParser/context(of:)`` finds it.
package protocol QueryContext: AnyObject, Sendable {}
