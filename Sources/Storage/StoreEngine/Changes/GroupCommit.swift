import ChatelaineModel
import ChatelaineSystem

/// Commits changes that come at the same time in one transaction.
///
/// The cost of a change is its way to the disk, and one way is enough for all changes that wait. The thread that gets
/// the turn carries out its own change and those that were handed in while it waited, one after the other. Each change
/// gets its answer when the transaction is on disk. A change that comes to nothing is rolled back alone. Where a change
/// fails, all are rolled back, and each is then carried out alone to learn its own result.
final class GroupCommit: Sendable {
    /// The most changes of one transaction; it bounds how long the first of them waits for the others.
    static let maximumChanges = 64

    private let waiting = AdaptiveMutex<[PendingChange]>([])
    /// The lock that a change holds while it commits; a change that started over too often also prepares under it.
    /// Where it is free, a change holds it while it looks for its rows (``whileIdle(_:)``).
    private let turn = AdaptiveMutex<Void>(())

    /// Carries out a prepared change, together with others that wait.
    func carryOut(
        with writer: StoreWriter, _ body: @escaping (WriteSession) throws(KeychainError) -> WriteOutcome<Attempt>
    ) throws(KeychainError) -> Attempt {
        let change = PendingChange(body)
        waiting.withLock { $0.append(change) }
        turn.withLock { _ in
            // Another thread may have carried the change out. The first transaction of a turn may leave this change
            // out, where it takes ``maximumChanges`` older ones.
            while change.result == nil { Self.carryOut(next(), with: writer) }
        }
        guard let result = change.result else {
            throw KeychainError(.internalComponent, "a change ended without a result")
        }
        return try result.get()
    }

    /// The number of changes that wait for the turn.
    var pending: Int { waiting.withLock { $0.count } }

    /// Carries out a change that is prepared while no other change may commit.
    func alone<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        try turn.withLock { (_) throws(KeychainError) in try body() }
    }

    /// Runs `body` while no change commits; nil where one does, or waits for its turn.
    func whileIdle<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value? {
        try turn.withLockIfAvailable { (_) throws(KeychainError) in try body() }
    }

    /// Takes the changes that have waited longest.
    private func next() -> [PendingChange] {
        waiting.withLock { waiting in
            let first = Array(waiting.prefix(Self.maximumChanges))
            waiting.removeFirst(first.count)
            return first
        }
    }

    private static func carryOut(_ changes: [PendingChange], with writer: StoreWriter) {
        if changes.count > 1, carryOutTogether(changes, with: writer) { return }
        for change in changes {
            change.result = Result { () throws(KeychainError) in
                try writer.transaction { (session) throws(KeychainError) in try change.body(session) }
            }
        }
    }

    /// Carries out changes in one transaction; false where the transaction had no effect and each has to run alone.
    private static func carryOutTogether(_ changes: [PendingChange], with writer: StoreWriter) -> Bool {
        do throws(KeychainError) {
            let attempts = try writer.transaction {
                (session) throws(KeychainError) -> WriteOutcome<[Attempt]> in
                var attempts: [Attempt] = []
                var isChanged = false
                for change in changes {
                    switch try session.nested(isNext: isChanged, change.body) {
                    case .commit(let attempt):
                        attempts.append(attempt)
                        isChanged = true
                    case .rollback(let attempt): attempts.append(attempt)
                    }
                }
                return isChanged ? .commit(attempts) : .rollback(attempts)
            }
            for (change, attempt) in zip(changes, attempts) { change.result = .success(attempt) }
            return true
        } catch {
            return false
        }
    }
}

/// A change that waits to be committed.
// `@unchecked Sendable`: only the thread that has the turn touches a change, and the thread that made it waits for the
// turn.
private final class PendingChange: @unchecked Sendable {
    let body: (WriteSession) throws(KeychainError) -> WriteOutcome<Attempt>
    var result: Result<Attempt, KeychainError>?

    init(_ body: @escaping (WriteSession) throws(KeychainError) -> WriteOutcome<Attempt>) { self.body = body }
}

extension WriteSession {
    /// Runs one of several changes of a transaction, with a number of its own; rolls it back alone where it comes to
    /// nothing.
    ///
    /// - Parameter isNext: whether an earlier change of the same transaction has used the present number.
    fileprivate func nested(
        isNext: Bool, _ body: (WriteSession) throws(KeychainError) -> WriteOutcome<Attempt>
    ) throws(KeychainError) -> WriteOutcome<Attempt> {
        let before = rows.state
        try statements[.savepoint].run()
        if isNext { rows.beginNext() }
        let outcome = try body(
            WriteSession(
                statements: statements, rows: rows, sequence: rows.head.sequence, hour: hour, barred: barred))
        if case .rollback = outcome {
            try statements[.rollBackToSavepoint].run()
            rows.state = before
        }
        try statements[.releaseSavepoint].run()
        return outcome
    }
}
