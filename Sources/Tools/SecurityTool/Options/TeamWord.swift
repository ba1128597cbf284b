import ChatelaineModel

/// Parses a team on the command line.
enum TeamWord {
    static func team(_ word: String) throws(ToolError) -> TeamIdentifier {
        guard let team = TeamIdentifier(word) else {
            throw .usage(
                "a team is \(TeamIdentifier.length) of A\u{2013}Z and 0\u{2013}9: “\(Printable.text(word))” is none")
        }
        return team
    }
}
