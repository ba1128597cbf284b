/// The attributes of a class, their kinds, and those that make an item unique (behaviour/attributes-and-dates.md, 1 to
/// 6).
package struct AttributeSchema: Sendable {
    package struct Column: Sendable {
        package let key: AttributeKey
        package let kind: AttributeKind
    }

    /// The attributes of the class, sorted by key.
    package let columns: [Column]
    /// The attributes that make an item unique, together with access group, synchronizable, view hint and token.
    ///
    /// They have the order in which they enter the digest.
    package let uniqueKeys: [AttributeKey]

    package func kind(of key: AttributeKey) -> AttributeKind? {
        var low = 0
        var high = columns.count
        while low < high {
            let middle = (low + high) / 2
            if columns[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low < columns.count && columns[low].key == key ? columns[low].kind : nil
    }

    /// The value that stands for a missing part of the unique key (behaviour/attributes-and-dates.md, 6).
    package func uniqueDefault(for key: AttributeKey) -> AttributeValue {
        switch kind(of: key) {
        case .number: .number(0)
        case .date: .date(0)
        default: .text("")
        }
    }

    package static func of(_ itemClass: ItemClass) -> AttributeSchema {
        switch itemClass {
        case .genericPassword: genericPassword
        case .internetPassword: internetPassword
        case .certificate: certificate
        case .key: key
        case .identity: identity
        }
    }

    init(_ words: KeyValuePairs<AttributeKind, String>, unique: String) {
        columns = words.flatMap { kind, names in
            names.split(separator: " ").compactMap { name in
                AttributeKey(String(name)).map { Column(key: $0, kind: kind) }
            }
        }.sorted { $0.key < $1.key }
        uniqueKeys = unique.split(separator: " ").compactMap { AttributeKey(String($0)) }
    }
}
