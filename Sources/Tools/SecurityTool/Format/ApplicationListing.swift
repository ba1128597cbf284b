import ChatelaineIPC
import ChatelaineModel

/// Shows decisions about programs for people and in JSON.
struct ApplicationListing {
    /// Digits of a digest that are enough to distinguish programs at a glance; JSON has all.
    static let digestDigits = 16

    let context: ToolContext

    func show(_ records: [ApplicationDecision], asJSON: Bool) throws {
        guard asJSON else {
            guard !records.isEmpty else { return }
            let hasFormer = records.contains { $0.former != nil }
            let rows = records.map { record in
                let digest = Hexadecimal.text(of: record.digest).prefix(Self.digestDigits)
                return [
                    Self.word(record.state), digest.isEmpty ? "-" : String(digest),
                ] + (hasFormer ? [Self.former(record)] : [])
                    + [DateText.text(record.date) ?? "-", Printable.text(record.path)]
            }
            let heads = ["STATE", "SHA-256"] + (hasFormer ? ["IN PLACE OF"] : []) + ["DECIDED", "PATH"]
            return try context.output.write(Columns.aligned([heads] + rows))
        }
        var json = JSONWriter()
        json.beginArray()
        for record in records {
            json.newline()
            json.beginObject()
            json.key("path")
            json.value(record.path)
            json.key("state")
            json.value(Self.word(record.state))
            json.pair("sha256", ifAny: Hexadecimal.text(of: record.digest))
            if let former = record.former {
                json.key("formerSha256")
                json.value(Hexadecimal.text(of: former))
            }
            json.pair("decided", ifAny: DateText.text(record.date, milliseconds: true))
            json.endObject()
        }
        if !records.isEmpty { json.end() }
        json.endArray()
        json.end()
        try json.flush(to: context.output)
    }

    private static func word(_ state: ApplicationDecision.State) -> String {
        switch state {
        case .pinned: "pinned"
        case .changed: "changed"
        case .development: "development"
        case .missing: "missing"
        case .unconfirmed: "unconfirmed"
        case .adopted: "adopted"
        case .accepted: "accepted"
        }
    }

    private static func former(_ record: ApplicationDecision) -> String {
        record.former.map { String(Hexadecimal.text(of: $0).prefix(digestDigits)) } ?? "-"
    }
}
