/// The purpose of a seal, a part of its context.
///
/// The numbers are in files, so they never change meaning.
package enum SealPurpose: UInt64, Sendable {
    /// A row's attributes, under a metadata key.
    ///
    /// Since format 3 of the store, only opened.
    case metadata = 1
    /// A row's secret, under its row key.
    ///
    /// Since format 3 of the store, only opened.
    case secret = 2
    /// A row key, under a class key.
    case rowKey = 3
    /// A metadata key, under a class key.
    case metadataKey = 4
    /// A class key, under the key derived from the UID key.
    case classKey = 5
    /// A row's attributes with padding, under a metadata key.
    case paddedMetadata = 6
    /// A row's secret with padding, under its row key.
    case paddedSecret = 7
    /// The statement of a store's head record about all rows, under a key of securityd.
    case integrityHead = 8
    /// A class key under a passcode's protector.
    ///
    /// It is sealed once more as ``classKey``, so opening it needs both.
    case protectedClassKey = 9
    /// A protector, under the key derived from a passcode and the UID key.
    case protector = 10
    /// The key that signs records which widen access, under a protector.
    case endorsementKey = 11
    /// A row key, under the key derived from an application password.
    ///
    /// It is sealed once more as ``rowKey``.
    case passwordRowKey = 12
    /// The master key of a file keychain, under the key derived from its password.
    case keychainMasterKey = 13
    /// A row's attributes in clear, authenticated in place by a keyed digest; for file keychains.
    case authenticatedAttributes = 14

    /// Whether it is the purpose of a row's attributes.
    ///
    /// These contain the constraints, so their context cannot include them.
    var isOfAttributes: Bool {
        switch self {
        case .metadata, .paddedMetadata, .authenticatedAttributes: true
        default: false
        }
    }
}
