import Testing

/// Programs that access objects tell apart.
extension Household {
    /// Makes a copy of the probe that has a digest of its own.
    func otherApplication(_ name: String) throws -> String {
        let path = try application(name)
        try append(name, to: path)
        return path
    }

    /// Replaces a program by the same file with some bytes appended.
    func append(_ text: String, to program: String) throws {
        let words = ["sh", "-c", "cp \"$0\" \"$0.next\" && printf %s \"$1\" >>\"$0.next\" && mv \"$0.next\" \"$0\""]
        try #require(try Program(words + [program, text], environment: variables).finish() == 0)
    }

    /// Starts a copy of the probe whose calls never ask a person.
    func silentProbe(_ name: String) throws -> ProbeProcess {
        let probe = try probe(name)
        let forbid: [String: Any] = ["call": "SecKeychain", "function": "SetUserInteractionAllowed", "state": false]
        try #require(try probe.ask(forbid).status == 0)
        return probe
    }
}
