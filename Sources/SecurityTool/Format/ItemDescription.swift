import ChatelaineModel

/// An item for people and for programs.
struct ItemDescription {
    let item: FoundItem

    /// Every attribute with its key, as it is shown: known ones first, in the order of ``AttributeWord``.
    private var entries: [(key: String, value: AttributeValue)] {
        let known = AttributeWord.names.map(\.key)
        let all = item.attributes.entries.map { (key: $0.key.name, value: $0.value) }
        let first = known.compactMap { key in all.first { $0.key == key } }
        return (first + all.filter { !known.contains($0.key) })
            // These are said from the item itself; what an empty part of the unique key holds is nothing to show.
            .filter { !["pdmn", "sync"].contains($0.key) && $0.value != .text("") }
    }

    /// Aligned lines of names and values.
    var block: String {
        var rows = [["class", ClassWord(item.itemClass).rawValue]]
        rows += entries.map { [AttributeWord.name(of: $0.key), Self.text($0.value, key: $0.key)] }
        rows.append(["accessible", AccessibilityWord.name(of: item.accessibility)])
        rows.append(["synchronizable", item.isSynchronizable ? "yes" : "no"])
        rows.append(["persistent-ref", reference])
        return Columns.aligned(rows)
    }

    static let heading = ["CLASS", "SERVICE OR SERVER", "ACCOUNT", "LABEL", "GROUP", "MODIFIED"]

    /// One row under ``heading``; what an item lacks is a hyphen.
    var row: [String] {
        let place = item.attributes[item.itemClass == .internetPassword ? .server : .service]
        let values: [(AttributeValue?, String)] = [
            (place, "svce"), (item.attributes[.account], "acct"), (item.attributes[.label], "labl"),
            (item.attributes[.accessGroup], "agrp"), (item.attributes[.modificationDate], "mdat"),
        ]
        return [ClassWord(item.itemClass).rawValue]
            + values.map { value, key in
                guard let value, value != .text("") else { return "-" }
                return Self.text(value, key: key)
            }
    }

    private var reference: String {
        Hexadecimal.text(of: PersistentReference(itemClass: item.itemClass, identifier: item.identifier).bytes)
    }

    /// One JSON object.
    ///
    /// Text is a string, data `{"hex": …}`, a date ISO 8601 in UTC. A secret appears only where it was asked for: always
    /// in Base64, and as text too where it is readable.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("class")
        json.value(ClassWord(item.itemClass).rawValue)
        for (key, value) in entries {
            json.key(AttributeWord.name(of: key))
            Self.write(value, key: key, to: &json)
        }
        json.key("accessible")
        json.value(AccessibilityWord.name(of: item.accessibility))
        json.key("synchronizable")
        json.value(item.isSynchronizable)
        json.key("persistent-ref")
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

    private static func write(_ value: AttributeValue, key: String, to json: inout JSONWriter) {
        switch value {
        case .number(let number) where isFlag(key) && (0...1).contains(number): json.value(number == 1)
        case .text(let text): json.value(text)
        case .number(let number): json.value(number)
        case .data(let bytes):
            json.beginObject()
            json.key("hex")
            json.value(Hexadecimal.text(of: bytes))
            json.endObject()
        case .date(let seconds): json.value(DateText.text(seconds, milliseconds: true) ?? "\(seconds)")
        }
    }

    private static func text(_ value: AttributeValue, key: String) -> String {
        switch value {
        case .number(let number) where isFlag(key) && (0...1).contains(number): number == 1 ? "yes" : "no"
        case .number(let number) where key == "crtr" || key == "type": code(number)
        case .text(let text): Printable.text(text)
        case .number(let number): String(number)
        case .data(let bytes): "hex:" + Hexadecimal.text(of: bytes)
        case .date(let seconds): DateText.text(seconds) ?? "\(seconds)"
        }
    }

    private static func isFlag(_ key: String) -> Bool {
        key == AttributeWord.invisible || key == AttributeWord.negative
    }

    /// The four characters that a number stands for, where they are that.
    private static func code(_ number: Int64) -> String {
        guard let raw = UInt32(exactly: number) else { return String(number) }
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: raw >> $0) }
        guard bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return String(number) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
