import ChatelaineMemory
import ChatelaineModel
import Testing

@testable import ItemStore

/// Items that every search of their class tells apart.
enum SearchedItems {
    /// All that have rows: an identity is two of them.
    static let classes: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]

    /// What is left of a file with items of these classes: all but its first page, or nothing but its log, in which not all of them have room.
    struct Damage: Sendable {
        let inLog: Bool
        let classes: [ItemClass]

        static let all = [
            Damage(inLog: false, classes: SearchedItems.classes),
            Damage(inLog: true, classes: [.genericPassword, .internetPassword]),
            Damage(inLog: true, classes: [.certificate, .key]),
        ]
    }

    /// An item whose attributes are all its own, but for the label, which three share. A key is a private one.
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

    /// In the type that the attribute has.
    static func value(_ index: Int, of key: AttributeKey, _ itemClass: ItemClass) -> AttributeValue {
        value("\(itemClass)-\(index)", of: key, itemClass)
    }

    static func value(_ text: String, of key: AttributeKey, _ itemClass: ItemClass) -> AttributeValue {
        AttributeSchema.of(itemClass).kind(of: key) == .data ? .data(Array(text.utf8)) : .text(text)
    }

    /// What finds it and no other one.
    static func query(_ itemClass: ItemClass, _ index: Int, returns: ReturnTypes = .data) -> ItemQuery {
        var query = ItemQuery(itemClass: itemClass)
        let first = SearchSchema.of(itemClass).columns[0]
        for key in first.keys { query.attributes[key] = value(index, of: key, itemClass) }
        query.returns = returns
        return query
    }
}
