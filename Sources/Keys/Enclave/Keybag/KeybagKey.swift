import ChatelaineModel

/// One key of a keybag as it is stored: wrapped, with its count.
struct KeybagKey: Equatable, Sendable {
    enum Kind: UInt8 {
        /// Wraps row keys and metadata keys of one protection class.
        ///
        /// It never leaves the custodian.
        case classKey = 1
        /// Seals the attributes of one protection class.
        ///
        /// It is handed to securityd.
        case metadataKey = 2
        /// Wraps the keys of private keys that programs keep (`KeyCustody.detached`).
        ///
        /// It is never superseded, because nobody could seal those keys anew.
        case detachedKey = 3
    }

    /// Unique in the keybag, and never used again.
    let id: UInt32
    let kind: Kind
    let accessibility: Accessibility
    /// The class key that wraps a metadata key; 0 for other kinds, which the backend wraps.
    let parent: UInt32
    /// Longer for a class that a passcode protects, because the key is wrapped twice (``ClassKeyWrapping``).
    var wrapped: [UInt8]
    /// The seals handed out in whole blocks, an upper bound of those made.
    var sealsReserved: UInt64
    /// Seconds since 1970.
    let created: Int64
    /// When a newer key took over, in seconds since 1970.
    ///
    /// A retired key only opens.
    var retired: Int64?
    /// Whether its rows must be sealed anew, since a copy of a former keybag opens this key without the current
    /// passcode.
    ///
    /// Such a key is retired, and destroyed once it is not needed.
    var isSuperseded = false
}
