import ChatelaineIPC
import ChatelaineModel

/// Shows teams for people and in JSON.
struct TeamListing {
    /// Digits of an anchor's key that are enough to distinguish anchors at a glance; JSON has all.
    private static let keyDigits = 16

    let context: ToolContext

    func show(_ teams: [TeamDescription], asJSON: Bool) throws {
        guard asJSON else {
            guard !teams.isEmpty else { return }
            let rows = teams.map { team in
                [
                    team.team.text, Self.word(team.origin),
                    team.anchorKey.map { String("\($0)".prefix(Self.keyDigits)) } ?? "-",
                    team.anchorKey == nil ? "-" : UnixTime.text(team.validUntil),
                    team.problem.isEmpty
                        ? Printable.text(team.subject) : "counts for nothing: " + Printable.text(team.problem),
                ]
            }
            return try context.output.write(
                Columns.aligned([["TEAM", "SAID BY", "ANCHOR", "EXPIRES", "SUBJECT"]] + rows))
        }
        var json = JSONWriter()
        json.beginArray()
        for team in teams {
            json.newline()
            json.beginObject()
            json.key("team")
            json.value(team.team.text)
            json.key("saidBy")
            json.value(Self.word(team.origin))
            json.pair("anchor", ifAny: team.anchorKey.map { "\($0)" })
            json.pair("subject", ifAny: team.subject)
            json.pair("notBefore", ifAny: team.anchorKey == nil ? nil : UnixTime.text(team.validFrom))
            json.pair("notAfter", ifAny: team.anchorKey == nil ? nil : UnixTime.text(team.validUntil))
            json.key("requiresProfiles")
            json.value(team.requiresProfiles)
            json.pair("problem", ifAny: team.problem)
            json.endObject()
        }
        if !teams.isEmpty { json.end() }
        json.endArray()
        json.end()
        try json.flush(to: context.output)
    }

    /// Says which anchors are gone.
    ///
    /// The table is the one of teams that count.
    func tell(ofRemoved teams: [TeamDescription]) throws {
        for team in teams {
            let subject = team.subject.isEmpty ? "" : ": " + Printable.text(team.subject)
            try context.output.write("The anchor that you had added for team \(team.team) is removed\(subject)\n")
        }
    }

    static func word(_ origin: AnchorOrigin) -> String {
        switch origin {
        case .root: "root"
        case .person: "you"
        }
    }
}

/// Writes dates of certificates and signatures.
enum UnixTime {
    static func text(_ seconds: Int64) -> String {
        DateText.text(Double(seconds) - Double(ReferenceDate.secondsSince1970)) ?? "far from now"
    }
}
