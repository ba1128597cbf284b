import ChatelaineModel

extension RowStore {
    /// How often a change starts over before it keeps others from changing anything meanwhile.
    package static let patientAttempts = 8
    /// How often it starts over before it gives up; damage that never ends would get here.
    private static let maximumAttempts = 64

    /// Repeats a change until what was prepared is still true when it is written.
    ///
    /// `prepare` finds and seals, with no transaction open; what it returns writes. After a few vain attempts nobody
    /// else may write between the two, so that this one gets through. When it returns, the change is on disk.
    ///
    /// - Parameters:
    ///   - request: carried out once, however often it comes.
    ///   - isBlind: whether `prepare` looks at no row, so that a request which comes again can wait until the
    ///     transaction for its first answer; otherwise it might fail before, over what it did itself the first time.
    ///   - clear: asked to take away the row that has a unique digest already; throws where that stays.
    /// - Returns: the answer of the first time; nil where this was the first time.
    package func repeating(
        _ request: ChangeRequest, isBlind: Bool = false, clear: ([UInt8]) throws(KeychainError) -> Void,
        _ prepare: () throws(KeychainError) -> (WriteSession) throws(KeychainError) -> Attempt
    ) throws(KeychainError) -> FirstAnswer? {
        if !isBlind, let answer = try firstAnswer(to: request) { return answer }
        for attempt in 0..<Self.maximumAttempts {
            let ended: Attempt
            if attempt < Self.patientAttempts {
                let write = try prepare()
                ended = try commits.carryOut(with: writer) { (session) throws(KeychainError) in
                    try Self.carryOut(request, write, in: session)
                }
            } else {
                ended = try commits.alone { () throws(KeychainError) in
                    let write = try prepare()
                    return try writer.transaction { (session) throws(KeychainError) in
                        try Self.carryOut(request, write, in: session)
                    }
                }
            }
            switch ended {
            case .done: return nil
            case .answered(let answer): return answer
            case .outdated: continue
            case .conflict(let digest): try clear(digest)
            }
        }
        throw KeychainError(.notAvailable, "a change was overtaken by others again and again; try it again")
    }

    private static func carryOut(
        _ request: ChangeRequest, _ write: (WriteSession) throws(KeychainError) -> Attempt, in session: WriteSession
    ) throws(KeychainError) -> WriteOutcome<Attempt> {
        if let answer = try WriteSession.answer(to: request, session.statements) { return .rollback(.answered(answer)) }
        let attempt = try write(session)
        if case .done = attempt { return .commit(attempt) }
        return .rollback(attempt)
    }
}
