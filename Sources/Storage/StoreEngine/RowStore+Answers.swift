import ChatelaineModel

extension RowStore {
    /// The answer that an earlier arrival of the same request got; nil where the request comes for the first time.
    func firstAnswer(to request: ChangeRequest) throws(KeychainError) -> FirstAnswer? {
        try readers.read { (reader) throws(KeychainError) in
            try WriteSession.answer(to: request, reader.statements)
        }
    }

    /// Forgets the answers that no client can ask for any more, and notes the age of the others.
    ///
    /// The caller calls this every few minutes, also while nothing changes. The first call that comes
    /// ``AnswerExpiry/lifetime`` after a call that found an answer deletes the answer. Without an answer to delete, the
    /// call writes nothing.
    package func forgetAnswers() throws(KeychainError) {
        let last = try readers.read { (reader) throws(KeychainError) -> UInt64? in
            let looking = try reader.statements[.hasRequests]
            defer { looking.reset() }
            guard try looking.step() else { return nil }
            return try reader.statements.sequence()
        }
        guard let last else { return }
        // The time is taken after the read, so that no change counts as older than it is.
        let now = clock.elapsed()
        guard let forgotten = answerAges.withLock({ $0.note(last, at: now) }) else { return }
        try writer.transaction { (session) throws(KeychainError) -> WriteOutcome<Void> in
            try session.forgetAnswers(upTo: forgotten) > 0 ? .commit(()) : .rollback(())
        }
    }
}
