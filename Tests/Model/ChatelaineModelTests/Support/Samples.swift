import ChatelaineMemory
import ChatelaineModel

/// Samples of each message, with every field in use.
enum Samples {
    static let identifier = ItemIdentifier(0..<16) ?? ItemIdentifier()

    static var attributes: AttributeSet {
        var attributes = AttributeSet()
        attributes[.account] = .text("Jürgen")
        attributes[.service] = .data([0, 0xFF, 0x80])
        attributes[.creator] = .number(-5)
        attributes[.port] = .number(1 << 40)
        attributes[.creationDate] = .date(-1.25)
        attributes[.label] = .text("")
        return attributes
    }

    /// The constraints of the flag privateKeyUsage, which ask no person.
    static var constraints: AccessConstraints {
        var constraints = AccessConstraints()
        constraints.operations = [
            .sign: .always, .computeSharedSecret: .always, .decapsulate: .always, .delete: .always,
        ]
        return constraints
    }

    static var query: ItemQuery {
        var query = ItemQuery(itemClass: .internetPassword)
        query.attributes = attributes
        query.accessGroup = "group"
        query.synchronizable = .any
        query.accessibility = .afterFirstUnlock
        query.identifier = identifier
        query.host = "example.org"
        query.ignoresCase = true
        query.limit = .count(7)
        query.returns = [.data, .reference]
        query.authenticationUI = .skip
        query.leavesTombstone = false
        query.items = [identifier, ItemIdentifier(Bytes16(repeating: 3))]
        query.constraints = .exactly(constraints)
        return query
    }

    static var newItem: NewItem {
        var item = NewItem(itemClass: .internetPassword)
        item.attributes = attributes
        item.accessGroup = "group"
        item.isSynchronizable = true
        item.accessibility = .afterFirstUnlock
        item.secret = SecretBytes([1, 2, 3])
        item.returns = [.data, .reference]
        item.authenticationUI = .fail
        item.constraints = constraints
        return item
    }

    static var change: ItemChange {
        var change = ItemChange()
        change.attributes = attributes
        change.accessGroup = "other"
        change.isSynchronizable = true
        change.accessibility = .always
        change.secret = SecretBytes([9])
        change.constraints = constraints
        return change
    }

    static var found: FoundItem {
        FoundItem(
            identifier: identifier, itemClass: .internetPassword, accessibility: .whenPasscodeSetThisDeviceOnly,
            isSynchronizable: false, attributes: EncodedAttributes(attributes), secret: SecretBytes([4, 5]),
            constraints: constraints)
    }

    static var vectors: [[UInt8]] {
        (CBORVectorTests.numbers + CBORVectorTests.floats + CBORVectorTests.strings + CBORVectorTests.collections)
            .map(\.encoding)
    }
}

extension ItemQuery {
    var encoding: [UInt8] {
        var writer = CBORWriter()
        encode(to: &writer)
        return writer.finishArray()
    }
}

extension NewItem {
    var encoding: [UInt8] {
        var writer = CBORWriter()
        encode(to: &writer)
        return writer.finishArray()
    }
}

extension ItemChange {
    var encoding: [UInt8] {
        var writer = CBORWriter()
        encode(to: &writer)
        return writer.finishArray()
    }
}

extension FoundItem {
    var encoding: [UInt8] {
        var writer = CBORWriter()
        encode(to: &writer)
        return writer.finishArray()
    }
}
