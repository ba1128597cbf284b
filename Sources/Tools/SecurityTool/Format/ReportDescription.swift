import ChatelaineIPC
import ChatelaineModel

/// Shows the daemon's report for people and in JSON.
///
/// Facts are grouped by the first part of their dotted names, in the daemon's order. So facts unknown to this tool are
/// shown too.
struct ReportDescription {
    let report: DaemonReport

    var text: String {
        groups.map { group in
            let rows = group.facts.map { fact in
                [Printable.text(String(fact.label.map { $0 == "." ? " " : $0 })), Self.text(fact.value, of: fact.name)]
            }
            return "\(Printable.text(group.name))\n" + Columns.aligned(rows, indent: "  ")
        }.joined()
    }

    /// Writes an object of objects: the first part of a name, then the rest of it.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        for group in groups {
            json.key(JSONKey.text(group.name))
            json.beginObject()
            for fact in group.facts {
                json.key(JSONKey.text(fact.label))
                switch fact.value {
                case .text(let text): json.value(text)
                case .number(let number): json.value(number)
                case .data(let bytes): json.value(Hexadecimal.text(of: bytes))
                case .date(let seconds): json.value(DateText.text(seconds, milliseconds: true) ?? "\(seconds)")
                }
            }
            json.endObject()
        }
        json.endObject()
        json.end()
    }

    /// The facts by the first part of their names, in the daemon's order.
    private var groups: [(name: String, facts: [(name: String, label: String, value: AttributeValue)])] {
        var groups: [(name: String, facts: [(name: String, label: String, value: AttributeValue)])] = []
        for (name, value) in report.facts {
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            let group = parts.first ?? ""
            let fact = (name, parts.count > 1 ? parts[1] : name, value)
            if let index = groups.firstIndex(where: { $0.name == group }) {
                groups[index].facts.append(fact)
            } else {
                groups.append((group, [fact]))
            }
        }
        return groups
    }

    private static let byteFacts: Set<String> = [
        "store.bytes", "memory.locked", "memory.unlocked", "enclave.memory.locked", "enclave.memory.unlocked",
    ]

    private static func text(_ value: AttributeValue, of name: String) -> String {
        switch value {
        case .number(let number) where byteFacts.contains(name): Quantity.bytes(number)
        case .number(let number) where name == "daemon.uptime": Quantity.duration(number)
        case .number(let number) where name == "enclave.dumpable": number == 0 ? "no" : "yes"
        case .number(let number): String(number)
        case .text(let text): Printable.text(text)
        case .data(let bytes): Hexadecimal.text(of: bytes)
        case .date(let seconds): DateText.text(seconds) ?? "\(seconds)"
        }
    }
}
