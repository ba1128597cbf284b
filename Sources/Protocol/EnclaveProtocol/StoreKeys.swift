import ChatelaineMemory
import ChatelaineModel

/// What a key that the custodian derives for a store is for; the one list of them.
///
/// Each use has a key of its own, so that nothing which is authenticated or digested for one can be taken for another's,
/// whatever their formats. A new use is a new case here: custodian, protocol and ``StoreKeys`` take it from there. The
/// numbers are on the wire and the names in the derivation: neither ever changes meaning.
package enum StoreKeyPurpose: UInt64, CaseIterable, Sendable {
    /// Digests of attribute values, by which a store is searched.
    case index = 0
    /// Reads what format 2 and earlier left: its one key for lists of applications and answers to requests. Nothing is
    /// written under it any more.
    case record = 1
    /// Authenticates the list of applications.
    case applications = 2
    /// The names under which answers to requests are kept: who asked, under which number.
    case requestNames = 3
    /// Digests of requests, by which a number that is used twice is noticed.
    case requestContents = 4
    /// Digests of rows, by which one that was put back, removed or revived is noticed.
    case integrity = 5
    /// Seals what the head record of a store says about all of its rows.
    case head = 6
    /// Authenticates the mark of a store, which lies outside of its folder.
    case mark = 7

    /// How the derivation calls it (`Documentation/formats/keybag.md`).
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

/// What the key custodian hands out when a store is opened. None of it opens an item.
package struct StoreKeys: Sendable {
    /// The keybag that belongs to the store; each carries the other's identifier.
    package var keybag: KeybagIdentifier
    /// How often the keybag was written; an older copy of it has a lower number. 0 where it is not known.
    package var keybagGeneration: UInt64 = 0
    /// Whether the keybag says that the store has a mark and a sealed head record, so that either is missed where it is not there.
    package var isMarked = false
    /// By the numbers of their purposes, which count from 0.
    private let keys: [SecretBytes]

    /// Asks for the key of each purpose, 32 bytes, in the order of their numbers.
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
