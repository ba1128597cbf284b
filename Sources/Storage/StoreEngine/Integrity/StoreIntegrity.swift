import ChatelaineModel

/// The writer's record of the store between two changes, with which the next change compares the database.
///
/// Somebody could replace the database by an older copy, or write to it, while it is open or not. So every change
/// computes the digest of all rows (``RowMultisetHash``), and writes it into the head record in the same transaction,
/// sealed with its own number. The mark outside of the store's folder records the last seal.
///
/// Only the queue of the store's writer uses the value.
final class StoreIntegrity {
    let keys: IntegrityKeys
    let store: StoreIdentifier
    private(set) var head: IntegrityHead
    private(set) var sealed: SealedHead
    private let mark: HighWaterMark

    init(
        _ keys: IntegrityKeys, _ store: StoreIdentifier, _ head: IntegrityHead, _ sealed: SealedHead,
        _ mark: HighWaterMark
    ) {
        self.keys = keys
        self.store = store
        self.head = head
        self.sealed = sealed
        self.mark = mark
    }

    /// Begins a change from the present head record.
    ///
    /// A head record that differs from the last one of this writer was written by somebody else. The store then goes on
    /// from its present rows, since no rows are deleted in order to recover, and in a new history.
    func begin(_ statements: StatementCache) throws(KeychainError) -> RowSetChange {
        let statement = try statements[.head]
        defer { statement.reset() }
        guard try statement.step() else {
            throw KeychainError(.notAvailable, "the item store's database has lost its head record")
        }
        let sequence = UInt64(clamping: statement.integer(0))
        let found = statement.lend(1)
        if sequence == head.sequence, sealed.isSame(as: found) {
            var next = head
            next.sequence += 1
            return RowSetChange(next, keys.authenticator, exchanged: nil)
        }
        let other = keys.open(found, of: store).flatMap { $0.sequence == sequence ? $0 : nil }
        let rows = if let other { other.rows } else { try keys.authenticator.rows(statements) }
        // A number without a seal may be anything, and must not use up the remaining numbers.
        let reached = max(head.sequence, other?.sequence ?? 0)
        return RowSetChange(
            IntegrityHead(
                after: head.epoch, sequence: reached + 1, recovery: head.recovery, owed: head.owed, rows: rows),
            keys.authenticator,
            exchanged: StoreExchange(expected: head.sequence, found: sequence))
    }

    /// Writes the head record of a change, inside its transaction.
    func seal(_ change: RowSetChange, hour: Int64, _ statements: StatementCache) throws(KeychainError) -> SealedHead {
        let sealed = try keys.seal(change.head, of: store)
        try Self.write(change.head.sequence, sealed, hour: hour, statements)
        return sealed
    }

    /// Writes a head record.
    ///
    /// - Parameter hour: the hour of a change; nil where only the head record is written.
    static func write(
        _ sequence: UInt64, _ sealed: SealedHead, hour: Int64? = nil, _ statements: StatementCache
    ) throws(KeychainError) {
        let statement = try statements[.setHead]
        statement.bind(1, Int64(clamping: sequence))
        try statement.bind(2, sealed.bytes)
        statement.bind(3, hour)
        try statement.run()
        guard statement.changes == 1 else {
            throw KeychainError(.internalComponent, "the number of a change was not written")
        }
    }

    /// Records a committed change; an error means that the mark could not be written, and takes nothing back.
    func committed(
        _ change: RowSetChange, _ sealed: SealedHead, _ durability: Durability
    ) throws(KeychainError) {
        head = change.head
        self.sealed = sealed
        // After a power cut, a mark ahead of the database would report a loss. The next durable change writes the mark.
        guard durability == .now else { return }
        var state = mark.state
        (state.epoch, state.sequence, state.head) = (head.epoch, head.sequence, sealed.tag)
        try mark.write(state)
        // Until the mark is on disk, nothing shows that the old history has ended.
        if change.isNewEpoch { try mark.sync() }
    }

    /// Records how often another file has been written, once that file is on disk.
    func note(_ change: (inout HighWaterMark.Generations) -> Void) throws(KeychainError) {
        var state = mark.state
        change(&state.generations)
        guard state != mark.state else { return }
        try mark.write(state)
        try mark.sync()
    }

    /// The state that the mark has, or should have.
    var marked: HighWaterMark.State { mark.state }

    /// Whether the mark has the state that the last change wrote, or failed to write.
    func isMark(_ finding: HighWaterMark.Finding) -> Bool {
        finding == .state(mark.state) || mark.attempted.map { finding == .state($0) } ?? false
    }
}

/// A foreign write to the store, or an exchange of it, between two changes of this process.
package struct StoreExchange: Sendable, Equatable {
    /// The number of this process's last change.
    package let expected: UInt64
    /// The number in the present head record.
    package let found: UInt64
}

/// The effect of one change on the digest of all rows.
package final class RowSetChange {
    /// The part of the value that is rolled back together with a part of the transaction.
    struct State {
        fileprivate(set) var head: IntegrityHead
        fileprivate(set) var isNewEpoch: Bool
    }

    var state: State
    package let authenticator: RowAuthenticator
    /// The foreign state that the change found; nil without one.
    let exchanged: StoreExchange?
    private var isBringing = false

    init(_ head: IntegrityHead, _ authenticator: RowAuthenticator, exchanged: StoreExchange?) {
        state = State(head: head, isNewEpoch: exchanged != nil)
        self.authenticator = authenticator
        self.exchanged = exchanged
    }

    private(set) var head: IntegrityHead {
        get { state.head }
        set { state.head = newValue }
    }

    private(set) var isNewEpoch: Bool {
        get { state.isNewEpoch }
        set { state.isNewEpoch = newValue }
    }

    /// Begins another change in the same transaction, with a number of its own.
    func beginNext() { state.head.sequence += 1 }

    package func insert(_ term: RowTerm) {
        head.rows.insert(term)
        if isBringing { head.owed? &-= term.value }
    }

    package func remove(_ term: RowTerm) {
        head.rows.remove(term)
        if isBringing { head.owed? &+= term.value }
    }

    /// Runs `body`, whose inserted rows count as rows that the recovery had to bring.
    func bringing<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        isBringing = true
        defer { isBringing = false }
        return try body()
    }

    /// Begins a new history with the present rows, whatever was written before.
    func restart(_ statements: StatementCache) throws(KeychainError) {
        head = IntegrityHead(
            after: isNewEpoch ? head.previous : head.epoch, sequence: head.sequence,
            recovery: head.recovery, owed: head.owed, rows: try authenticator.rows(statements))
        isNewEpoch = true
    }

    /// Records that no recovery goes on.
    func endRecovery() { (head.recovery, head.owed) = (0, nil) }
}

extension RowAuthenticator {
    /// The digest of all rows that a connection sees now, from a pass through the whole table.
    ///
    /// - Parameter note: called after each row; may throw to end the pass.
    func rows(
        _ statements: StatementCache, noting note: () throws(KeychainError) -> Void = {}
    ) throws(KeychainError) -> RowMultisetHash {
        let statement = try statements[.terms]
        defer { statement.reset() }
        var rows = RowMultisetHash()
        while try statement.step() {
            rows.insert(term(statement))
            try note()
        }
        return rows
    }
}
