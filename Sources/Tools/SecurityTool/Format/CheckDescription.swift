import ChatelaineIPC
import ChatelaineModel

/// Describes the findings of a check, and the daemon's report about them.
struct CheckDescription {
    let sum: CheckStep
    let losses: LossSummary
    let report: DaemonReport
    /// The name of the file keychain, as the user gave it; nil for the data protection keychain.
    let keychain: String?

    var text: String {
        var text = ""
        if sum.structure.isEmpty {
            text += "structure  sound\n"
        } else {
            for finding in sum.structure { text += "structure  \(Printable.text(finding))\n" }
        }
        if sum.total != nil {
            let locked = sum.locked > 0 ? ", \(sum.locked) locked and not looked into" : ""
            text += "items      \(sum.rows) opened, \(sum.findings.count) damaged\(locked)\n"
        }
        if !sum.findings.isEmpty {
            text += Columns.aligned(
                [["ITEM", "CLASS", "DAMAGED", "NOW"]]
                    + sum.findings.map { finding in
                        [
                            Hexadecimal.text(of: finding.item.bytes),
                            finding.itemClass.map { ClassWord($0).rawValue } ?? "-",
                            finding.reason.word, Self.word(finding.outcome),
                        ]
                    }, indent: "  ")
        }
        text += LossDescription(losses: losses, keychain: keychain).text
        if let recovery = fact("store.recovery") { text += "recovery   \(Printable.text(recovery))\n" }
        if let resealing = fact("store.resealing") { text += "new keys   \(Printable.text(resealing))\n" }
        if let error = fact("store.error") { text += "store      \(Printable.text(error))\n" }
        if let list = fact("store.list") { text += "losses     listed in \(Printable.text(list))\n" }
        return text
    }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("structure")
        json.beginArray()
        for finding in sum.structure { json.value(finding) }
        json.endArray()
        json.key("items")
        json.value(sum.rows)
        json.key("locked")
        json.value(sum.locked)
        json.key("damaged")
        json.beginArray()
        for finding in sum.findings {
            json.beginObject()
            json.key("item")
            json.value(Hexadecimal.text(of: finding.item.bytes))
            if let itemClass = finding.itemClass {
                json.key("class")
                json.value(ClassWord(itemClass).rawValue)
            }
            json.key("reason")
            json.value(finding.reason.word)
            json.key("now")
            json.value(Self.code(finding.outcome))
            json.endObject()
        }
        json.endArray()
        LossDescription(losses: losses, keychain: keychain).write(to: &json)
        for (key, name) in [
            ("recovery", "store.recovery"), ("resealing", "store.resealing"), ("error", "store.error"),
            ("list", "store.list"),
        ] {
            guard let fact = fact(name) else { continue }
            json.key(key)
            json.value(fact)
        }
        json.endObject()
        json.end()
    }

    private func fact(_ name: String) -> String? {
        guard case .text(let text)? = report[name] else { return nil }
        return text
    }

    private static func code(_ outcome: CheckOutcome) -> String {
        switch outcome {
        case .setAside: "setAside"
        case .replaced: "replaced"
        case .mended: "mended"
        case .left: "left"
        }
    }

    private static func word(_ outcome: CheckOutcome) -> String {
        switch outcome {
        case .setAside: "set aside"
        case .replaced: "set aside, the snapshot’s in its place"
        case .mended: "mended"
        case .left: "where it was: nothing could be written"
        }
    }
}
