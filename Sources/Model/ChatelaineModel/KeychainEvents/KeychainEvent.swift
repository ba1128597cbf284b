/// Something that has happened to a file keychain, or to what is trusted, as every program of the user may hear it.
///
/// It names a keychain and an item, and has nothing of what is in them.
package struct KeychainEvent: Hashable, Sendable {
    /// Apple's numbers, which go over the wire as well.
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

        package var isAboutItems: Bool { self == .itemAdded || self == .itemDeleted || self == .itemUpdated }
        package var mask: UInt32 { 1 << UInt32(rawValue) }
    }

    package var kind: Kind
    /// The path of the keychain; nil of a list and of settings of trust, and where no default keychain is set any more.
    package var keychain: String?
    /// Nil for an update of whichever items of the keychain.
    package var item: KeychainItemReference?
    /// The process whose request was the reason; 0 where that was none, or several.
    package var pid: UInt32

    package init(_ kind: Kind, keychain: String? = nil, item: KeychainItemReference? = nil, pid: UInt32 = 0) {
        self.kind = kind
        self.keychain = keychain
        self.item = item
        self.pid = pid
    }

    /// Stands for whatever may have happened.
    package static let anything = KeychainEvent(.listChanged)

    /// Whether the other tells the same, whoever is the reason.
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
