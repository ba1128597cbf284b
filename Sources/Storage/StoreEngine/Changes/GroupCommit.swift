import ChatelaineModel
import ChatelaineSystem

/// Has changes that come at the same time committed together: what costs of a change is its way to the disk, and one way is
/// enough for all that wait.
///
/// Whoever gets the turn carries out its own change and those that were handed in while it waited, one after the other in one
/// transaction, and each is answered when that is on disk. A change that comes to nothing is taken back alone; where one
/// fails, all are taken back, and each is carried out by itself to learn its own end.
final class GroupCommit: Sendable {
    /// Changes of one transaction, which bounds how long the first of them waits for the others.
    static let maximumChanges = 64

    private let waiting = AdaptiveMutex<[PendingChange]>([])
    /// Held by each change while it commits, and by a change that has started over too often for as long as it prepares.
    private let turn = AdaptiveMutex<Void>(())

    /// Carries out a change that has been prepared, with others where there are any.
    func carryOut(
        with writer: StoreWriter, _ body: @escaping (WriteSession) throws(KeychainError) -> WriteOutcome<Attempt>
    ) throws(KeychainError) -> Attempt {
        let change = PendingChange(body)
        waiting.withLock { $0.append(change) }
        turn.withLock { _ in
            // Another one has carried it out meanwhile, or its own turn may not reach it at once.
            while change.result == nil { Self.carryOut(next(), with: writer) }
        }
        guard let result = change.result else {
            throw KeychainError(.internalComponent, "a change came to no end")
        }
        return try result.get()
    }

    /// Changes that wait for the turn.
    var pending: Int { waiting.withLock { $0.count } }

    /// Carries out a change that is prepared while nobody else may change anything.
    func alone<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        try turn.withLock { (_) throws(KeychainError) in try body() }
    }

    /// Those that have waited longest.
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

    /// False where they have to be carried out one by one, and nothing of them was.
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
// `@unchecked Sendable`: whoever has the turn alone touches it, and the thread that made it waits for the turn.
private final class PendingChange: @unchecked Sendable {
    let body: (WriteSession) throws(KeychainError) -> WriteOutcome<Attempt>
    var result: Result<Attempt, KeychainError>?

    init(_ body: @escaping (WriteSession) throws(KeychainError) -> WriteOutcome<Attempt>) { self.body = body }
}

extension WriteSession {
    /// One of several changes of a transaction, with a number of its own: taken back alone where it comes to nothing.
    ///
    /// - Parameter isNext: whether a change before it in the same transaction has used up the number at hand.
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
