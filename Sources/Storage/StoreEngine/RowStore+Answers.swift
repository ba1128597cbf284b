import ChatelaineModel

extension RowStore {
    /// The answer that a request got before, if it comes again.
    func firstAnswer(to request: ChangeRequest) throws(KeychainError) -> FirstAnswer? {
        try readers.read { (reader) throws(KeychainError) in
            try WriteSession.answer(to: request, reader.statements)
        }
    }

    /// Forgets the answers that no client can ask for any more, and notes how old the others are.
    ///
    /// To be called every few minutes, also while nothing changes: an answer goes with the first call that comes
    /// ``AnswerExpiry/lifetime`` after one that found it. Nothing is written where there is nothing to forget.
    package func forgetAnswers() throws(KeychainError) {
        let last = try readers.read { (reader) throws(KeychainError) -> UInt64? in
            let looking = try reader.statements[.hasRequests]
            defer { looking.reset() }
            guard try looking.step() else { return nil }
            return try reader.statements.sequence()
        }
        guard let last else { return }
        // Later than the look, so that no change counts as older than it is.
        let now = clock.elapsed()
        guard let forgotten = answerAges.withLock({ $0.note(last, at: now) }) else { return }
        try writer.transaction { (session) throws(KeychainError) -> WriteOutcome<Void> in
            try session.forgetAnswers(upTo: forgotten) > 0 ? .commit(()) : .rollback(())
        }
    }
}
