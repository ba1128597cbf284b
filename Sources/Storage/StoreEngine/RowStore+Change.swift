import ChatelaineModel

extension RowStore {
    /// Runs `body` on one state of the store, for a change that is being prepared; it may run twice.
    ///
    /// Where no change commits, that is on the writing connection (``StoreWriter/read(_:)``). Whatever fails there is
    /// judged by the readers.
    package func readForChange<Value>(
        _ body: (Reader) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        if let value = try? commits.whileIdle({ () throws(KeychainError) in try writer.read(body) }) { return value }
        return try readers.read(body)
    }

    /// How often a change starts over before it keeps other changes out while it tries again.
    static let patientAttempts = 8
    /// How often a change starts over before it fails; only damage that never ends leads here.
    private static let maximumAttempts = 64

    /// Repeats a change until the preparation still holds when the change is written.
    ///
    /// `prepare` finds rows and seals new ones with no transaction open, and returns the closure that writes. After
    /// ``patientAttempts`` vain attempts no other change may write between preparation and writing, so that this one
    /// succeeds. When the function returns, the change is on disk.
    ///
    /// - Parameters:
    ///   - request: carried out once, however often it comes.
    ///   - prepare: may fail for a request that is repeated, because of what the request did the first time. Whether
    ///     there is a first answer is looked up then, and otherwise in the transaction.
    ///   - clear: takes away the row that already has a unique digest; throws where that row stays.
    /// - Returns: the answer that the request got the first time; nil where this is the first time, or was a rehearsal.
    package func repeating(
        _ request: ChangeRequest, clear: ([UInt8]) throws(KeychainError) -> Void,
        _ prepare: () throws(KeychainError) -> (WriteSession) throws(KeychainError) -> Attempt
    ) throws(KeychainError) -> FirstAnswer? {
        if let refusal { throw refusal }
        for attempt in 0..<Self.maximumAttempts {
            let ended =
                attempt < Self.patientAttempts
                ? try self.attempt(request, prepare) { (write) throws(KeychainError) in
                    try commits.carryOut(with: writer, write)
                }
                : try commits.alone { () throws(KeychainError) in
                    try self.attempt(request, prepare) { (write) throws(KeychainError) in
                        try writer.transaction { (session) throws(KeychainError) in try write(session) }
                    }
                }
            switch ended {
            case .done, .rehearsed: return nil
            case .answered(let answer): return answer
            case .outdated: continue
            case .conflict(let digest): try clear(digest)
            }
        }
        throw KeychainError(.notAvailable, "a change was overtaken by others again and again; try it again")
    }

    /// Prepares a change and has it committed.
    private func attempt(
        _ request: ChangeRequest,
        _ prepare: () throws(KeychainError) -> (WriteSession) throws(KeychainError) -> Attempt,
        _ commit: (@escaping (WriteSession) throws(KeychainError) -> WriteOutcome<Attempt>) throws(KeychainError) ->
            Attempt
    ) throws(KeychainError) -> Attempt {
        let write: (WriteSession) throws(KeychainError) -> Attempt
        do throws(KeychainError) { write = try prepare() } catch {
            if let answer = try firstAnswer(to: request) { return .answered(answer) }
            throw error
        }
        return try commit { (session) throws(KeychainError) in try Self.carryOut(request, write, in: session) }
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
