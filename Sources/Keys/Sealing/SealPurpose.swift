/// What a seal is for; part of what it is bound to. The numbers are in files: they never change meaning.
package enum SealPurpose: UInt64, Sendable {
    /// A row's attributes, under a metadata key; opened only, since format 3 of the store.
    case metadata = 1
    /// A row's secret, under its row key; opened only, since format 3 of the store.
    case secret = 2
    /// A row key, under a class key.
    case rowKey = 3
    /// A metadata key, under a class key.
    case metadataKey = 4
    /// A class key, under the key that the UID key (and a passcode) give.
    case classKey = 5
    /// A row's attributes with padding, under a metadata key.
    case paddedMetadata = 6
    /// A row's secret with padding, under its row key.
    case paddedSecret = 7
    /// What the head record of a store says about all of its rows, under a key of securityd's.
    case integrityHead = 8
    /// A class key under a passcode's protector, which is sealed once more as ``classKey``: both are needed to open it.
    case protectedClassKey = 9
    /// A protector, under the key that a passcode and the UID key give.
    case protector = 10
    /// The key that signs records which widen access, under a protector.
    case endorsementKey = 11
    /// A row key, under the key that a password of the program's gives; what comes of that is sealed once more as ``rowKey``.
    case passwordRowKey = 12
    /// The master key of a file keychain, under the key that its password gives.
    case keychainMasterKey = 13
    /// A row's attributes in clear, which a digest under a key authenticates in their place: those of file keychains.
    case authenticatedAttributes = 14

    /// Whether it is of a row's attributes, which bring the constraints: they are sealed before anybody knows these.
    var isOfAttributes: Bool {
        switch self {
        case .metadata, .paddedMetadata, .authenticatedAttributes: true
        default: false
        }
    }
}
