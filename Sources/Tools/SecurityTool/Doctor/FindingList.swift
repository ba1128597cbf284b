/// Shows findings for people and in JSON.
struct FindingList {
    let findings: [Finding]

    /// One aligned line for each finding, and an indented line for its remedy, if it has one.
    var text: String {
        let rows = findings.map { [$0.level.rawValue, $0.name, Printable.text($0.text)] }
        var result = ""
        for (line, finding) in zip(Columns.aligned(rows).split(separator: "\n"), findings) {
            result += "\(line)\n"
            if !finding.remedy.isEmpty { result += "          → \(Printable.text(finding.remedy))\n" }
        }
        return result
    }

    func write(to json: inout JSONWriter) {
        json.beginArray()
        for finding in findings {
            json.newline()
            json.beginObject()
            json.key("name")
            json.value(finding.name)
            json.key("level")
            json.value(finding.level.rawValue)
            json.key("text")
            json.value(finding.text)
            json.pair("remedy", ifAny: finding.remedy)
            json.endObject()
        }
        json.end()
        json.endArray()
        json.end()
    }
}
