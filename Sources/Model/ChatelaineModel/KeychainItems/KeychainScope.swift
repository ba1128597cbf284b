/// In which file keychains a call looks for items, and which of them count.
package struct KeychainScope: Hashable, Sendable {
    /// Their resolved paths, in the order in which they are searched; empty for the search list of the user.
    package var paths: [String]
    /// The only items that count, where the call names some: what is gone is passed over.
    package var items: [KeychainItemReference]?

    package init(paths: [String] = [], items: [KeychainItemReference]? = nil) {
        self.paths = paths
        self.items = items
    }
}

extension KeychainScope: CBORValue {
    private enum Field: UInt64, CBORField {
        case paths = 0
        case items = 1
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.writeArray(Field.paths, paths)
            if let items { $0.writeArray(Field.items, items) }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            paths: try map.readArray(Field.paths, limit: KeychainPreferences.maximumKeychains),
            items: try map.readArrayIfPresent(Field.items, limit: Limits.listedItems))
        reader = try map.end()
    }
}
