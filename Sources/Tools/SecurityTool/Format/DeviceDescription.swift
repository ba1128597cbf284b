import ChatelaineIPC
import ChatelaineModel

/// Describes the state of the passcode for people and in JSON.
struct DeviceDescription {
    let report: DeviceReport

    var text: String {
        var rows = [["state", report.state.text], ["passcode", report.hasPasscode ? "set" : "none"]]
        guard report.hasPasscode else { return Columns.aligned(rows) }
        rows.append([
            "protected",
            report.isProtected
                ? "yes" : "not yet: what was stored before the passcode, or before new keys, is being sealed anew",
        ])
        rows.append(["price of a guess", price])
        if report.failures > 0 { rows.append(["wrong tries", "\(report.failures)"]) }
        if report.delay > 0 { rows.append(["next try in", wait]) }
        return Columns.aligned(rows)
    }

    /// The cost of each guess with Argon2id.
    var price: String {
        "\(Quantity.bytes(Int64(report.memory) * 1024)) of memory, gone through \(Quantity.count(report.passes, "time"))"
    }

    /// The delay, rounded up, so that the next attempt after it counts.
    var wait: String { Quantity.duration(Int64(clamping: (report.delay + 999) / 1000)) }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("state")
        json.value(JSONKey.text(report.state.text))
        json.key("hasPasscode")
        json.value(report.hasPasscode)
        json.key("isProtected")
        json.value(report.isProtected)
        json.key("failures")
        json.value(report.failures)
        json.key("delaySeconds")
        json.value((report.delay + 999) / 1000)
        json.key("guessMemoryBytes")
        json.value(UInt64(report.memory) * 1024)
        json.key("guessPasses")
        json.value(report.passes)
        json.endObject()
        json.end()
    }

    func show(in context: ToolContext, asJSON: Bool, text: String) throws {
        guard asJSON else { return try context.output.write(text) }
        var json = JSONWriter()
        write(to: &json)
        try json.flush(to: context.output)
    }

    /// - Throws: `errSecAuthFailed` if a passcode was wrong, or was not checked.
    func requireDone() throws(KeychainError) {
        switch report.outcome {
        case .done: return
        case .wrong:
            let next = report.delay > 0 ? "; the next try counts in \(wait)" : ""
            throw KeychainError(.authFailed, "the passcode is wrong; nothing was changed\(next)")
        case .delayed: throw delayed
        }
    }

    var delayed: KeychainError {
        KeychainError(
            .authFailed,
            "too many wrong passcodes: the next one is looked at in \(wait); this one was not, and does not count")
    }
}
