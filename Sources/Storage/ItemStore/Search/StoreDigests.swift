import ChatelaineMemory
import ChatelaineModel
import Sealing

/// The keyed digests of a store, which allow equality search and uniqueness without plaintext.
///
/// The digested bytes are the deterministic CBOR of {0: purpose, 1: class, 2: group, 3: synchronizable, 4: [key, value,
/// …]}, with the fields that the purpose has. Text and data are both byte strings, so that equal bytes are equal
/// (behaviour/attributes-and-dates.md, 15). Numbers and dates keep their types.
struct StoreDigests: Sendable {
    /// The purpose of a digest; the numbers are in files and never change meaning.
    private enum Purpose: UInt8, CBORValue {
        case group = 1
        case unique = 2
        case search = 3
        case detachedKey = 4
    }

    private enum Field: UInt64, CBORField {
        case purpose = 0
        case itemClass = 1
        case group = 2
        case isSynchronizable = 3
        case values = 4
    }

    /// The attributes in the unique key of every class.
    private static let commonUniqueKeys: [AttributeKey] = [.viewHint, .tokenID]

    private let digest: KeyedDigest

    init(_ indexKey: SecretBytes) { digest = KeyedDigest(indexKey) }

    /// The digest that names an access group in columns and associated data.
    func group(_ group: AccessGroup) -> Bytes16 {
        var writer = CBORWriter(capacity: 128)
        writer.writeMap {
            $0.write(Field.purpose, Purpose.group)
            $0.write(Field.group, group)
        }
        return writer.withUnsafeBytes { digest.shortDigest($0) }
    }

    /// The authentication code over a key that its program keeps.
    func detachedKey(_ content: [UInt8]) -> [UInt8] {
        var writer = CBORWriter(capacity: 512)
        writer.writeMap {
            $0.write(Field.purpose, Purpose.detachedKey)
            $0.write(Field.values, content)
        }
        return writer.withUnsafeBytes { digest.digest($0) }
    }

    /// Whether a code belongs to such a key; the comparison takes the same time for any code.
    func isDetachedKey(_ content: [UInt8], _ code: [UInt8]) -> Bool {
        SecretBytes(detachedKey(content)) == SecretBytes(code)
    }

    /// The digest that no two items may share.
    func unique(
        _ attributes: AttributeSet, of itemClass: ItemClass, group: AccessGroup, isSynchronizable: Bool
    ) -> [UInt8] {
        let schema = AttributeSchema.of(itemClass)
        let keys = schema.uniqueKeys + Self.commonUniqueKeys
        var writer = CBORWriter(capacity: 512)
        writer.writeMap {
            $0.write(Field.purpose, Purpose.unique)
            $0.write(Field.itemClass, itemClass)
            $0.write(Field.group, group)
            $0.write(Field.isSynchronizable, isSynchronizable)
            $0.begin(Field.values)
            $0.writeArray(count: 2 * keys.count)
            for key in keys { Self.write(key, attributes[key] ?? schema.uniqueDefault(for: key), to: &$0) }
        }
        return writer.withUnsafeBytes { digest.digest($0) }
    }

    /// The digested values of a search column without the group, which a look-up in many groups encodes once.
    struct Terms: Sendable {
        fileprivate let itemClass: ItemClass
        /// The encoded array of keys and values.
        fileprivate let values: [UInt8]

        /// Encodes the values; nil unless all attributes of the column are present.
        init?(_ keys: [AttributeKey], _ attributes: AttributeSet, of itemClass: ItemClass) {
            var writer = CBORWriter(capacity: 256)
            writer.writeArray(count: 2 * keys.count)
            for key in keys {
                guard let value = attributes[key] else { return nil }
                StoreDigests.write(key, value, to: &writer)
            }
            self.itemClass = itemClass
            values = writer.finishArray()
        }
    }

    /// The capacity that needs no allocation: for a group with its owner, and attributes of the usual length.
    private static let usualBytes = 512

    /// The digest that a search column holds.
    func search(_ terms: Terms, in group: AccessGroup) -> Bytes16 {
        withUnsafeTemporaryAllocation(byteCount: Self.usualBytes, alignment: 1) { memory in
            var writer = CBORWriter(lent: memory)
            writer.writeMap {
                $0.write(Field.purpose, Purpose.search)
                $0.write(Field.itemClass, terms.itemClass)
                $0.write(Field.group, group)
                $0.begin(Field.values)
                $0.appendEncoded(terms.values)
            }
            return writer.withUnsafeBytes { digest.shortDigest($0) }
        }
    }

    /// The digests of all search columns, in the order of ``SearchColumn``.
    func search(_ attributes: AttributeSet, of itemClass: ItemClass, group: AccessGroup) -> [Bytes16?] {
        var digests = [Bytes16?](repeating: nil, count: SearchColumn.allCases.count)
        for (column, keys) in SearchSchema.of(itemClass).columns {
            digests[column.rawValue] = Terms(keys, attributes, of: itemClass).map { search($0, in: group) }
        }
        return digests
    }

    private static func write(_ key: AttributeKey, _ value: AttributeValue, to writer: inout CBORWriter) {
        writer.write(UInt64(key.rawValue))
        switch value {
        case .text(var text): text.withUTF8 { writer.write(UnsafeRawBufferPointer($0)) }
        case .data(let data): writer.write(data)
        case .number(let number): writer.write(number)
        // Both zeros compare equal.
        case .date(let seconds): writer.write(seconds == 0 ? 0.0 : seconds)
        }
    }
}
