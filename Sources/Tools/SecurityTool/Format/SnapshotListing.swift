import ArgumentParser
import ChatelaineIPC
import ChatelaineModel

/// Shows snapshots for people and in JSON.
struct SnapshotListing {
    /// The names of snapshots for completions: the first column without its heading.
    static let completion = CompletionKind.shellCommand("security snapshot list 2>/dev/null | sed '1d;s/ .*//'")

    let context: ToolContext

    /// The daemon's name of a file keychain; nil for the data protection keychain.
    static func path(_ keychain: String?, _ context: ToolContext) throws(KeychainError) -> String? {
        try keychain.map { name throws(KeychainError) in try context.path(ofKeychain: name).text }
    }

    func show(_ records: [SnapshotRecord], asJSON: Bool) throws {
        guard asJSON else {
            guard !records.isEmpty else { return }
            let rows = records.map { record in
                [
                    Printable.text(record.name), DateText.text(record.date) ?? "-", Self.word(record.reason),
                    "\(record.items)", Quantity.bytes(Int64(clamping: record.bytes)),
                ]
            }
            try context.output.write(Columns.aligned([["NAME", "TAKEN", "WHY", "ITEMS", "SIZE"]] + rows))
            for case let replaced? in records.map(\.replaced) {
                try context.output.write("The store that was replaced is kept in \(Printable.text(replaced))\n")
            }
            return
        }
        var json = JSONWriter()
        json.beginArray()
        for record in records {
            json.newline()
            json.beginObject()
            json.key("name")
            json.value(record.name)
            json.key("taken")
            json.value(DateText.text(record.date, milliseconds: true) ?? "")
            json.key("why")
            json.value(Self.code(record.reason))
            json.key("items")
            json.value(record.items)
            json.key("bytes")
            json.value(record.bytes)
            json.key("sequence")
            json.value(record.sequence)
            if let replaced = record.replaced {
                json.key("replaced")
                json.value(replaced)
            }
            json.endObject()
        }
        if !records.isEmpty { json.end() }
        json.endArray()
        json.end()
        try json.flush(to: context.output)
    }

    private static func code(_ reason: SnapshotReason) -> String {
        switch reason {
        case .daily: "daily"
        case .migration: "upgrade"
        case .request: "request"
        case .newKeys: "newKeys"
        }
    }

    private static func word(_ reason: SnapshotReason) -> String {
        switch reason {
        case .daily: "daily"
        case .migration: "before an upgrade"
        case .request: "asked for"
        case .newKeys: "new keys"
        }
    }
}
