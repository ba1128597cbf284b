/// The file keychains in which a call looks for items, and the items that count.
package struct KeychainScope: Hashable, Sendable {
    /// Resolved paths of the keychains in the order of searching; empty for the user's search list.
    package var paths: [String]
    /// The only items that count, if the call names some; items that are gone are passed over.
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
