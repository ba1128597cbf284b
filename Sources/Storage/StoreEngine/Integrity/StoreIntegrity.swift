import ChatelaineModel

/// What the writer of a store remembers of it between two changes, and compares with what the next one finds.
///
/// The database could be exchanged for an older copy of itself, or written to by somebody else, while it is open or not. So every
/// change computes what all rows come to (``RowMultisetHash``) and writes that, sealed with its own number, into the head record, in
/// the same transaction; the mark outside of the store's folder remembers which seal was the last.
///
/// Used on the queue of the store's writer only.
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

    /// Begins a change from what the head record says now.
    ///
    /// Where that is not what the last change of ours wrote, somebody else did. The store goes on from what it holds, since nothing
    /// is deleted in order to recover, and in a new history.
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
        // A number that no seal confirms may be any, and must not use up those that are left.
        let reached = max(head.sequence, other?.sequence ?? 0)
        return RowSetChange(
            IntegrityHead(
                after: head.epoch, sequence: reached + 1, recovery: head.recovery, owed: head.owed, rows: rows),
            keys.authenticator,
            exchanged: StoreExchange(expected: head.sequence, found: sequence))
    }

    /// Writes what a change has come to, inside its transaction.
    func seal(_ change: RowSetChange, hour: Int64, _ statements: StatementCache) throws(KeychainError) -> SealedHead {
        let sealed = try keys.seal(change.head, of: store)
        try Self.write(change.head.sequence, sealed, hour: hour, statements)
        return sealed
    }

    /// - Parameter hour: that of a change; nil where nothing but the head record is written.
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

    /// Remembers a change that was committed; throws where the mark cannot be written, which takes nothing back.
    func committed(
        _ change: RowSetChange, _ sealed: SealedHead, _ durability: Durability
    ) throws(KeychainError) {
        head = change.head
        self.sealed = sealed
        // A mark that is ahead of what a power cut leaves would tell of a loss. The next change that is on disk writes it.
        guard durability == .now else { return }
        var state = mark.state
        (state.epoch, state.sequence, state.head) = (head.epoch, head.sequence, sealed.tag)
        try mark.write(state)
        // Before the mark is on disk, nothing shows that the old history is over.
        if change.isNewEpoch { try mark.sync() }
    }

    /// Notes how often another file has been written, once it is on disk.
    func note(_ change: (inout HighWaterMark.Generations) -> Void) throws(KeychainError) {
        var state = mark.state
        change(&state.generations)
        guard state != mark.state else { return }
        try mark.write(state)
        try mark.sync()
    }

    /// What the mark says, or should say.
    var marked: HighWaterMark.State { mark.state }

    /// Whether that is what the last change has written there, or has failed to write.
    func isMark(_ finding: HighWaterMark.Finding) -> Bool {
        finding == .state(mark.state) || mark.attempted.map { finding == .state($0) } ?? false
    }
}

/// Somebody else has written to the store, or exchanged it, between two changes of ours.
package struct StoreExchange: Sendable, Equatable {
    /// The number of our last change.
    package let expected: UInt64
    /// The number that the head record has.
    package let found: UInt64
}

/// What one change makes of the digest of all rows.
package final class RowSetChange {
    /// What can be taken back, with the part of a transaction that has led to it.
    struct State {
        fileprivate(set) var head: IntegrityHead
        fileprivate(set) var isNewEpoch: Bool
    }

    var state: State
    package let authenticator: RowAuthenticator
    /// What the change met that no change of ours has left there.
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

    /// Another change begins in the same transaction, with a number of its own.
    func beginNext() { state.head.sequence += 1 }

    package func insert(_ term: RowTerm) {
        head.rows.insert(term)
        if isBringing { head.owed? &-= term.value }
    }

    package func remove(_ term: RowTerm) {
        head.rows.remove(term)
        if isBringing { head.owed? &+= term.value }
    }

    /// What is inserted meanwhile is what the recovery had to bring.
    func bringing<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        isBringing = true
        defer { isBringing = false }
        return try body()
    }

    /// Begins a new history with the rows that are there now, whatever was written before.
    func restart(_ statements: StatementCache) throws(KeychainError) {
        head = IntegrityHead(
            after: isNewEpoch ? head.previous : head.epoch, sequence: head.sequence,
            recovery: head.recovery, owed: head.owed, rows: try authenticator.rows(statements))
        isNewEpoch = true
    }

    /// No recovery goes on any more.
    func endRecovery() { (head.recovery, head.owed) = (0, nil) }
}

extension RowAuthenticator {
    /// What all rows come to that a connection sees now: a pass through the whole table.
    func rows(_ statements: StatementCache) throws(KeychainError) -> RowMultisetHash {
        let statement = try statements[.terms]
        defer { statement.reset() }
        var rows = RowMultisetHash()
        while try statement.step() { rows.insert(term(statement)) }
        return rows
    }
}
