import ChatelaineMemory
import ChatelaineModel
import Testing

@testable import ItemStore

/// Items that every search of their class distinguishes.
enum SearchedItems {
    /// All classes that have rows. An identity consists of two rows.
    static let classes: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]

    /// What is left of a damaged file: all but its first page, or only its log, which has no room for all classes.
    struct Damage: Sendable {
        let inLog: Bool
        let classes: [ItemClass]

        static let all = [
            Damage(inLog: false, classes: SearchedItems.classes),
            Damage(inLog: true, classes: [.genericPassword, .internetPassword]),
            Damage(inLog: true, classes: [.certificate, .key]),
        ]
    }

    /// An item with attributes of its own, except for the label, which three items share.
    ///
    /// A key is a private key.
    static func item(_ itemClass: ItemClass, _ index: Int, secret: String) -> NewItem {
        var item = NewItem(itemClass: itemClass)
        for (column, keys) in SearchSchema.of(itemClass).columns {
            for key in keys { item.attributes[key] = value(column == .label ? index / 3 : index, of: key, itemClass) }
        }
        item.attributes[.comment] = .text(String(repeating: "c", count: index % 5 * 400))
        item.secret = SecretBytes(secret.utf8)
        if itemClass == .key {
            item.keyKind = .ec
            item.attributes[.keyClass] = .number(KeyHalf.privateKey.rawValue)
        }
        return item
    }

    /// The value in the type of the attribute.
    static func value(_ index: Int, of key: AttributeKey, _ itemClass: ItemClass) -> AttributeValue {
        value("\(itemClass)-\(index)", of: key, itemClass)
    }

    static func value(_ text: String, of key: AttributeKey, _ itemClass: ItemClass) -> AttributeValue {
        AttributeSchema.of(itemClass).kind(of: key) == .data ? .data(Array(text.utf8)) : .text(text)
    }

    /// A query that finds the item and no other.
    static func query(_ itemClass: ItemClass, _ index: Int, returns: ReturnTypes = .data) -> ItemQuery {
        var query = ItemQuery(itemClass: itemClass)
        let first = SearchSchema.of(itemClass).columns[0]
        for key in first.keys { query.attributes[key] = value(index, of: key, itemClass) }
        query.returns = returns
        return query
    }
}
