/// An item as a program sees it.
struct Item: Hashable {
    var secret: String
    var label: String
}

/// Everything that has been acknowledged.
struct ObservedState: Equatable {
    var items: [String: Item] = [:]
    var programs: Set<String> = []
    /// The names of certificates with trust settings.
    var trust: Set<String> = []
    /// The file keychain; nil where there is none.
    var keychain: ObservedKeychain?
    /// Whether the key file of the machine's keychains exists.
    var hasMachineKey = false
}

/// The states that may be found at one moment: one state, or two during a change.
struct Expectation {
    var states: [ObservedState] = [ObservedState()]
    /// Snapshots that must exist, and snapshots that must not; others may or may not exist.
    var snapshots: Set<String> = []
    var deleted: Set<String> = []
    /// The number of stores that may have been set aside.
    var setAside = 0...0
    /// Whether a test has removed changes, which the store has to notice.
    var losesChanges = false
    /// Whether the store may report losses, and whether it may report none.
    ///
    /// A store reports losses only where a test has removed something, until they are acknowledged. Both values are
    /// allowed during the acknowledgement.
    var reports: Set<Bool> = [false]
    /// Whether the file keychain is outside of Chatelaine's folder, so that changes are made in a copy.
    var keychainIsElsewhere = false
    /// Whether copies of it are published, as for keychains of the machine.
    var keychainIsPublished = false
    /// The items that readers may find there; nil before anything was published.
    var published: [[String: Item]]?
    /// Whether a snapshot replaces it, which reports that changes are missing.
    var keychainIsRestored = false
}
