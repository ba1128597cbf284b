import ChatelaineModel

/// One key of a keybag as it is stored: wrapped, with its count.
struct KeybagKey: Equatable, Sendable {
    enum Kind: UInt8 {
        /// Wraps row keys and metadata keys of one protection class; never leaves the custodian.
        case classKey = 1
        /// Seals the attributes of one protection class; handed to securityd.
        case metadataKey = 2
        /// Wraps the keys of private keys that programs keep (`PrivateKeyUse.detached`). It is never superseded: nobody could seal these anew.
        case detachedKey = 3
    }

    /// Unique in the keybag and never used again.
    let id: UInt32
    let kind: Kind
    let accessibility: Accessibility
    /// The class key that wraps a metadata key; 0 for the others, which the backend wraps.
    let parent: UInt32
    /// Longer for the key of a class that a passcode protects, which is wrapped twice (``ClassKeyWrapping``).
    var wrapped: [UInt8]
    /// Seals handed out, in whole blocks: an upper bound of those made.
    var sealsReserved: UInt64
    /// Seconds since 1970.
    let created: Int64
    /// When a younger key took over; a retired key only opens. Seconds since 1970.
    var retired: Int64?
    /// Whether its rows are to be sealed anew, since a copy of a former keybag opens it without the passcode of now. Such a key is
    /// retired, and destroyed once it is not needed.
    var isSuperseded = false
}
