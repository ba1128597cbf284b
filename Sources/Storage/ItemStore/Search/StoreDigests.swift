import ChatelaineMemory
import ChatelaineModel
import Sealing

/// The keyed digests of a store: equality search and uniqueness without plaintext.
///
/// What is digested is the deterministic CBOR of {0: purpose, 1: class, 2: group, 3: synchronizable, 4: [key, value,
/// …]}, each where the purpose has it. Text and data both go in as byte strings, so that equal bytes are equal
/// (behaviour/attributes-and-dates.md, 15); numbers and dates keep their types.
struct StoreDigests: Sendable {
    /// The numbers are in files: they never change meaning.
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

    /// Attributes that enter the unique key of every class.
    private static let commonUniqueKeys: [AttributeKey] = [.viewHint, .tokenID]

    private let digest: KeyedDigest

    init(_ indexKey: SecretBytes) { digest = KeyedDigest(indexKey) }

    /// The name of an access group in columns and associated data.
    func group(_ group: AccessGroup) -> Bytes16 {
        var writer = CBORWriter(capacity: 128)
        writer.writeMap {
            $0.write(Field.purpose, Purpose.group)
            $0.write(Field.group, group)
        }
        return writer.withUnsafeBytes { digest.shortDigest($0) }
    }

    /// The code over a key that its program keeps.
    func detachedKey(_ content: [UInt8]) -> [UInt8] {
        var writer = CBORWriter(capacity: 512)
        writer.writeMap {
            $0.write(Field.purpose, Purpose.detachedKey)
            $0.write(Field.values, content)
        }
        return writer.withUnsafeBytes { digest.digest($0) }
    }

    /// Whether a code is that of such a key. It takes as long for one that is nearly right.
    func isDetachedKey(_ content: [UInt8], _ code: [UInt8]) -> Bool {
        SecretBytes(detachedKey(content)) == SecretBytes(code)
    }

    /// What two items must not share.
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

    /// What the digest of a search column is made of besides the group, which a look-up in many groups writes once.
    struct Terms: Sendable {
        fileprivate let itemClass: ItemClass
        /// An array of keys and values, encoded.
        fileprivate let values: [UInt8]

        /// Nil unless all attributes of the column are there.
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

    /// Bytes for which nothing is allocated: a group with its owner, and attributes of the usual length.
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
