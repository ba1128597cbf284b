import ChatelaineModel

/// Describes an item for people and in JSON.
struct ItemDescription {
    let item: FoundItem
    /// Whether the access group is shown; all items of a file keychain have the same one, which says nothing.
    var hasGroup = true

    /// The attributes to show, with their keys: known ones first, in the order of ``AttributeWord``.
    private var entries: [(key: String, value: AttributeValue)] {
        let known = AttributeWord.names.map(\.key)
        let all = item.attributes.entries.map { (key: $0.key.name, value: $0.value) }
        let first = known.compactMap { key in all.first { $0.key == key } }
        return (first + all.filter { !known.contains($0.key) })
            // Accessibility and synchronizable are shown from the item's own properties.
            .filter { !["pdmn", "sync"].contains($0.key) && !isMissing($0.key, $0.value) }
            .filter { hasGroup || $0.key != "agrp" }
    }

    /// Whether a value is equivalent to no value, as defaults of the unique key are.
    private func isMissing(_ name: String, _ value: AttributeValue) -> Bool {
        let schema = AttributeSchema.of(item.itemClass)
        guard value != .text(""), let key = AttributeKey(name) else { return true }
        return schema.uniqueKeys.contains(key) && value == schema.uniqueDefault(for: key)
    }

    /// The class and the attributes, which items of both kinds of keychain have.
    var attributeRows: [[String]] {
        [["class", ClassWord(item.itemClass).rawValue]]
            + entries.map { [AttributeWord.name(of: $0.key), text($0.value, key: $0.key)] }
    }

    /// The lines of aligned names and values.
    var block: String {
        var rows = attributeRows
        rows.append(["accessible", AccessibilityWord.name(of: item.accessibility)])
        if let constraints = item.constraints { rows.append(["access-control", AccessControlWord.text(constraints)]) }
        rows.append(["synchronizable", item.isSynchronizable ? "yes" : "no"])
        rows.append(["persistent-ref", reference])
        return Columns.aligned(rows)
    }

    /// An attribute as a cell of a table; nil if the item has none.
    func cell(_ key: String) -> String? {
        guard let value = AttributeKey(key).flatMap({ item.attributes[$0] }), !isMissing(key, value) else { return nil }
        return text(value, key: key)
    }

    private var reference: String {
        Hexadecimal.text(of: PersistentReference(itemClass: item.itemClass, identifier: item.identifier).bytes)
    }

    private func text(_ value: AttributeValue, key: String) -> String {
        AttributeWord.text(value, for: key, isNumber: isNumber(key))
    }

    /// Whether the attribute is a number by its schema; protocols are stored among numbers, but are shown as words.
    private func isNumber(_ key: String) -> Bool {
        guard CodeWords.of(key) == nil, let attribute = AttributeKey(key) else { return false }
        return AttributeSchema.of(item.itemClass).kind(of: attribute) == .number
    }

    /// Writes the item as one JSON object.
    ///
    /// Each key has values of one type. A value of another type than the schema's has a key of its own: `accountHex`,
    /// `accountNumber`, `portText`. A secret appears only on demand: always in Base64, and also as text if it is
    /// readable.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        writeAttributes(to: &json)
        json.key("accessible")
        json.value(AccessibilityWord.name(of: item.accessibility))
        if let constraints = item.constraints {
            json.key("accessControl")
            json.beginArray()
            for name in AccessControlWord.names(of: constraints) ?? ["other"] { json.value(name) }
            json.endArray()
        }
        json.key("synchronizable")
        json.value(item.isSynchronizable)
        json.key("persistentRef")
        json.value(reference)
        if let secret = item.secret {
            secret.withUnsafeBytes { bytes in
                json.key("secret")
                json.base64(bytes)
                guard Printable.isReadable(bytes) else { return }
                json.key("secretText")
                json.text(bytes)
            }
        }
        json.endObject()
    }

    /// Writes what ``attributeRows`` shows to people.
    func writeAttributes(to json: inout JSONWriter) {
        json.key("class")
        json.value(ClassWord(item.itemClass).rawValue)
        for (key, value) in entries { write(value, key: key, to: &json) }
    }

    private func write(_ value: AttributeValue, key: String, to json: inout JSONWriter) {
        let name = JSONKey.text(AttributeWord.name(of: key))
        switch value {
        case .number(let number) where AttributeWord.isFlag(key) && (0...1).contains(number):
            json.key(name)
            json.value(number == 1)
        case .number(let number):
            json.key(isNumber(key) && !AttributeWord.isFlag(key) ? name : name + "Number")
            json.value(number)
        case .text(let text):
            json.key(isNumber(key) ? name + "Text" : name)
            json.value(CodeWords.of(key)?.word(of: text) ?? text)
        case .data(let bytes):
            json.key(name + "Hex")
            json.value(Hexadecimal.text(of: bytes))
        case .date(let seconds):
            json.key(name)
            json.value(DateText.text(seconds, milliseconds: true) ?? "\(seconds)")
        }
    }
}
