import ChatelaineMemory
import ChatelaineModel

/// The purpose of a key that the custodian derives for a store; the one list of purposes.
///
/// Each purpose has a key of its own, so that a value authenticated or digested for one never passes for another's,
/// whatever the formats. A new purpose is a new case here: custodian, protocol and ``StoreKeys`` use this list. The
/// numbers are on the wire and the names in the derivation: neither ever changes meaning.
package enum StoreKeyPurpose: UInt64, CaseIterable, Sendable {
    /// Digests of attribute values, by which a store is searched.
    case index = 0
    /// Reads what format 2 and earlier wrote: one key for lists of applications and for replies to requests.
    ///
    /// Nothing is written under it any more.
    case record = 1
    /// Authenticates the list of applications.
    case applications = 2
    /// The names under which replies to requests are kept: the caller and the request's number.
    case requestNames = 3
    /// Digests of requests, which show that a number was used twice.
    case requestContents = 4
    /// Digests of rows, which show that a row was put back, removed or revived.
    case integrity = 5
    /// Seals the facts about all rows in the head record of a store.
    case head = 6
    /// Authenticates the mark of a store, which lies outside of its folder.
    case mark = 7

    /// The purpose's name in the derivation (`Documentation/formats/keybag.md`).
    package var name: String {
        switch self {
        case .index: "chatelaine index"
        case .record: "chatelaine record"
        case .applications: "chatelaine applications"
        case .requestNames: "chatelaine request names"
        case .requestContents: "chatelaine request contents"
        case .integrity: "chatelaine integrity"
        case .head: "chatelaine head"
        case .mark: "chatelaine mark"
        }
    }
}

/// The keys that the custodian hands out when a store is opened. None of them opens an item.
package struct StoreKeys: Sendable {
    /// The keybag of the store; each carries the other's identifier.
    package var keybag: KeybagIdentifier
    /// How often the keybag was written; an older copy has a lower number. 0 where it is not known.
    package var keybagGeneration: UInt64 = 0
    /// Whether the keybag records that the store has a mark and a sealed head record, so that their absence is noticed.
    package var isMarked = false
    /// The keys, indexed by the numbers of their purposes, which count from 0.
    private let keys: [SecretBytes]

    /// Calls `key` for the key of each purpose, 32 bytes, in the order of their numbers.
    package init<Failure: Error>(
        keybag: KeybagIdentifier, _ key: (StoreKeyPurpose) throws(Failure) -> SecretBytes
    ) throws(Failure) {
        self.keybag = keybag
        var keys: [SecretBytes] = []
        keys.reserveCapacity(StoreKeyPurpose.allCases.count)
        for purpose in StoreKeyPurpose.allCases { keys.append(try key(purpose)) }
        self.keys = keys
    }

    package subscript(purpose: StoreKeyPurpose) -> SecretBytes { keys[Int(purpose.rawValue)] }
}
