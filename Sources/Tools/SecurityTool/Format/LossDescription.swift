import ChatelaineIPC
import ChatelaineModel

/// Describes the changes missing from the store, and the damaged items set aside, for people and in JSON.
struct LossDescription {
    let losses: LossSummary
    /// The name of the file keychain, as the user gave it; nil for the data protection keychain.
    let keychain: String?

    var text: String {
        var text = ""
        if let missing = losses.missing {
            for (index, part) in MissingText(missing).parts.enumerated() {
                text += (index == 0 ? "missing    " : "           ") + part + "\n"
            }
            text +=
                missing.isOpen
                ? "           a recovery goes on, and may find more\n"
                : "           restore what you miss from a backup; “security check --acknowledge\(name)” ends this message\n"
        }
        guard losses.total > 0 else { return text }
        let left = losses.total - min(losses.total, UInt64(losses.setAside.count))
        text += "aside      \(losses.total) damaged \(losses.total == 1 ? "item" : "items")"
        text += left > 0 ? ", the newest \(losses.setAside.count) of them here\n" : "\n"
        return text
            + Columns.aligned(
                [["ITEM", "CLASS", "SERVICE OR SERVER", "ACCOUNT", "DAMAGED", "SINCE"]]
                    + losses.setAside.map { item in
                        [
                            item.item.map { Hexadecimal.text(of: $0.bytes) } ?? "-",
                            item.itemClass.map { ClassWord($0).rawValue } ?? "-",
                            Self.name(item.attributes[.service] ?? item.attributes[.server], item),
                            Self.name(item.attributes[.account], item), item.reason?.word ?? "unknown",
                            DateText.text(item.date) ?? "-",
                        ]
                    }, indent: "  ")
    }

    private var name: String { keychain.map { " " + Printable.text($0) } ?? "" }

    /// Writes members into an object that is open.
    func write(to json: inout JSONWriter) {
        if let missing = losses.missing {
            json.key("missing")
            json.beginObject()
            json.key("bounded")
            json.value(missing.changes != nil)
            if let changes = missing.changes {
                json.key("changes")
                json.value(changes)
            }
            json.key("sinceSequence")
            json.value(missing.since)
            if let date = missing.sinceDate.flatMap({ DateText.text($0, milliseconds: true) }) {
                json.key("date")
                json.value(date)
            }
            for (key, number) in [
                ("lost", missing.lost), ("restored", missing.restored), ("setAsideCount", missing.setAside),
                ("altered", missing.altered),
            ] {
                json.key(key)
                json.value(number)
            }
            json.key("final")
            json.value(!missing.isOpen)
            json.endObject()
        }
        json.key("setAside")
        json.beginArray()
        for item in losses.setAside {
            json.beginObject()
            if let identifier = item.item {
                json.key("item")
                json.value(Hexadecimal.text(of: identifier.bytes))
            }
            if let itemClass = item.itemClass {
                json.key("class")
                json.value(ClassWord(itemClass).rawValue)
            }
            for (key, attribute) in [
                ("service", AttributeKey.service), ("server", .server), ("account", .account),
            ] {
                switch item.attributes[attribute] {
                case .text(let text):
                    json.key(key)
                    json.value(text)
                case .data(let bytes):
                    json.key(key + "Hex")
                    json.value(Hexadecimal.text(of: bytes))
                case .number, .date, nil: break
                }
            }
            if !item.isVerified {
                json.key("verified")
                json.value(false)
            }
            json.key("reason")
            json.value(item.reason?.word ?? "unknown")
            json.key("date")
            json.value(DateText.text(item.date, milliseconds: true) ?? "")
            json.endObject()
        }
        json.endArray()
    }

    /// The name of an item that was set aside; an unverified one is marked, so that it is not taken as known.
    private static func name(_ value: AttributeValue?, _ item: LossSummary.SetAside) -> String {
        text(value).map { item.isVerified ? $0 : $0 + " (unverified)" } ?? "-"
    }

    private static func text(_ value: AttributeValue?) -> String? { Self.value(value).map { Printable.text($0) } }

    private static func value(_ value: AttributeValue?) -> String? {
        switch value {
        case .text(let text): text
        case .data(let bytes): Hexadecimal.text(of: bytes)
        case .number, .date, nil: nil
        }
    }
}
