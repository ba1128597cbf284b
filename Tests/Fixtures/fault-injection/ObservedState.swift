/// What a program sees of an item.
struct Item: Hashable {
    var secret: String
    var label: String
}

/// All that has been acknowledged.
struct ObservedState: Equatable {
    var items: [String: Item] = [:]
    var programs: Set<String> = []
    /// The names of certificates with settings of trust.
    var trust: Set<String> = []
    /// The file keychain; nil where there is none.
    var keychain: ObservedKeychain?
    /// Whether there is the key file of the machine's keychains.
    var hasMachineKey = false
}

/// What may be found at one moment: one state, or two while a change is under way.
struct Expectation {
    var states: [ObservedState] = [ObservedState()]
    /// Snapshots that are there, and those that are gone; of others nothing is said.
    var snapshots: Set<String> = []
    var deleted: Set<String> = []
    /// Stores that may have been set aside.
    var setAside = 0...0
    /// Changes that a test took away before, which the store is to notice.
    var losesChanges = false
    /// Whether what is missing, or may be, is reported: by nobody else than where a test took something away, until it is
    /// acknowledged. Both, while that is under way.
    var reports: Set<Bool> = [false]
    /// Whether the file keychain lies outside of our folder, and is worked on in a copy.
    var keychainIsElsewhere = false
    /// Whether copies of it are published, as of the machine's.
    var keychainIsPublished = false
    /// Whether a snapshot takes its place, of which it is told that changes are missing.
    var keychainIsRestored = false
}
