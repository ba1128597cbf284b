import ChatelaineIPC
import ChatelaineModel

/// The daemon's report for people and for programs.
///
/// Facts are shown under the first part of their dotted names, in the daemon's order, so that one which this tool does not
/// know is shown too.
struct ReportDescription {
    let report: DaemonReport

    var text: String {
        var groups: [(name: String, rows: [[String]])] = []
        for (name, value) in report.facts {
            let parts = name.split(separator: ".", maxSplits: 1)
            let group = Printable.text(String(parts.first ?? ""))
            let label = Printable.text(parts.count > 1 ? String(parts[1].map { $0 == "." ? " " : $0 }) : name)
            if groups.last?.name != group {
                if let index = groups.firstIndex(where: { $0.name == group }) {
                    groups.append(groups.remove(at: index))
                } else {
                    groups.append((group, []))
                }
            }
            groups[groups.count - 1].rows.append([label, Self.text(value, of: name)])
        }
        return groups.map { "\($0.name)\n" + Columns.aligned($0.rows, indent: "  ") }.joined()
    }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        for (name, value) in report.facts {
            json.key(name)
            switch value {
            case .text(let text): json.value(text)
            case .number(let number): json.value(number)
            case .data(let bytes): json.value(Hexadecimal.text(of: bytes))
            case .date(let seconds): json.value(DateText.text(seconds, milliseconds: true) ?? "\(seconds)")
            }
        }
        json.endObject()
        json.end()
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
