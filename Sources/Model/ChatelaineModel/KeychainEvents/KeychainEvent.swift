/// An event about a file keychain, or about trust settings, which every program of the user may receive.
///
/// It names a keychain and an item, and has nothing of their content.
package struct KeychainEvent: Hashable, Sendable {
    /// The kind of an event, by Apple's numbers, which are on the wire too.
    package enum Kind: UInt8, CBORValue, CaseIterable, Sendable {
        case locked = 1
        case unlocked = 2
        case itemAdded = 3
        case itemDeleted = 4
        case itemUpdated = 5
        case passwordChanged = 6
        case defaultChanged = 9
        case listChanged = 11
        case trustSettingsChanged = 12

        var isAboutItems: Bool { self == .itemAdded || self == .itemDeleted || self == .itemUpdated }
        package var mask: UInt32 { 1 << UInt32(rawValue) }
    }

    package var kind: Kind
    /// The path of the keychain; nil for a list, for trust settings, and if no default keychain is set any more.
    package var keychain: String?
    /// Nil for an update of items that are not named.
    package var item: KeychainItemReference?
    /// The process whose request caused the event; 0 if no process did, or several.
    package var pid: UInt32

    package init(_ kind: Kind, keychain: String? = nil, item: KeychainItemReference? = nil, pid: UInt32 = 0) {
        self.kind = kind
        self.keychain = keychain
        self.item = item
        self.pid = pid
    }

    /// Stands for any number of events of any kind.
    package static let anything = KeychainEvent(.listChanged)

    /// The kinds that the event may tell of, as a mask.
    ///
    /// A listener may have asked for a kind that was collapsed, and not for the one that stands for it
    /// (behaviour/keychain-events.md, 15).
    package var mask: UInt32 {
        let kinds: [Kind] =
            switch kind {
            case .itemUpdated where item == nil: [.itemAdded, .itemDeleted, .itemUpdated]
            // A list that was changed has the process that did it.
            case .listChanged where pid == Self.anything.pid: Kind.allCases
            default: [kind]
            }
        return kinds.reduce(0) { $0 | $1.mask }
    }

    /// Whether the other event tells the same, regardless of its cause.
    func isSame(as other: KeychainEvent) -> Bool {
        kind == other.kind && item == other.item && keychain == other.keychain
    }
}

extension KeychainEvent: CBORValue {
    private enum Field: UInt64, CBORField {
        case kind = 0
        case keychain = 1
        case item = 2
        case pid = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.kind, kind)
            $0.write(Field.keychain, keychain)
            $0.write(Field.item, item)
            $0.write(Field.pid, pid)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            try map.read(Field.kind), keychain: try map.readIfPresent(Field.keychain),
            item: try map.readIfPresent(Field.item), pid: try map.read(Field.pid))
        reader = try map.end()
    }
}
