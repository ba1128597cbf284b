import Testing

/// Programs that access objects tell apart.
extension Household {
    /// A copy of the probe of which no other has the digest.
    func otherApplication(_ name: String) throws -> String {
        let path = try application(name)
        try append(name, to: path)
        return path
    }

    /// Puts another file into a program's place: the same, and some bytes behind its end.
    func append(_ text: String, to program: String) throws {
        let words = ["sh", "-c", "cp \"$0\" \"$0.next\" && printf %s \"$1\" >>\"$0.next\" && mv \"$0.next\" \"$0\""]
        try #require(try Program(words + [program, text], environment: variables).finish() == 0)
    }

    /// A running copy of the probe that has nobody asked.
    func silentProbe(_ name: String) throws -> ProbeProcess {
        let probe = try probe(name)
        let forbid: [String: Any] = ["call": "SecKeychain", "function": "SetUserInteractionAllowed", "state": false]
        try #require(try probe.ask(forbid).status == 0)
        return probe
    }
}
