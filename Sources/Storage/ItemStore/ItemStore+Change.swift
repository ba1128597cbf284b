import ChatelaineModel

/// How an attempt at a change ended.
enum Attempt: Sendable {
    case done
    /// This very request has been answered before.
    case answered(FirstAnswer)
    /// What was prepared no longer fits.
    case outdated
    /// Another item has the unique attributes that this one should get.
    case conflict(uniqueDigest: [UInt8])
}

extension ItemStore {
    /// The answer that a request got before, if it comes again.
    func firstAnswer(to request: ChangeRequest) throws(KeychainError) -> FirstAnswer? {
        try readers.read { (reader) throws(KeychainError) in
            try WriteSession.answer(to: request, reader.statements)
        }
    }

    /// Repeats a change until what was prepared is still true when it is written.
    ///
    /// `prepare` finds and seals, with no transaction open; what it returns writes. After a few vain attempts nobody
    /// else may write between the two, so that this one gets through.
    ///
    /// - Parameter isBlind: whether `prepare` looks at no item, so that a request which comes again can wait until the
    ///   transaction for its first answer; otherwise it might fail before, over what it did itself the first time.
    func repeating(
        _ request: ChangeRequest, isBlind: Bool = false,
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
            case .done:
                maintainIfDue()
                return nil
            case .answered(let answer): return answer
            case .outdated: continue
            case .conflict(let uniqueDigest):
                guard try clearDamaged(uniqueDigest: uniqueDigest) else {
                    throw KeychainError(
                        .duplicateItem, "an item with the same unique attributes is in the store already")
                }
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
