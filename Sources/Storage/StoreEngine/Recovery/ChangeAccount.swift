/// How many of the changes behind a number may be missing, by what the rows that are there prove of them.
///
/// Each change has a number of its own, and each row says which change wrote it last and how many did in all. A change may be
/// of many rows, except an addition: so every new row proves one change, and of the others only so many as must be different
/// ones. What is left is an upper bound: it also counts changes that were overtaken, deletions, and what the store did itself.
struct ChangeAccount {
    let since: UInt64
    /// The highest number that any change is known to have had.
    let known: UInt64
    private var additions: UInt64 = 0
    /// Of each row that was changed after it was added: by which change last, and by how many.
    private var updates: [(sequence: UInt64, count: UInt64)] = []

    init(since: UInt64, known: UInt64) {
        self.since = since
        self.known = known
    }

    /// Takes a row into account.
    ///
    /// - Parameter before: its version when the change `since` had been made; 0 where it was not there, nil where nobody knows.
    mutating func note(version: UInt64, sequence: UInt64, before: UInt64?) {
        guard sequence > since, sequence <= known, version > 0 else { return }
        switch before {
        case 0:
            additions += 1
            if version > 1 { updates.append((sequence, version - 1)) }
        case let before?: updates.append((sequence, version > before ? version - before : 1))
        case nil: updates.append((sequence, 1))
        }
    }

    /// Changes that may be missing at most.
    var missing: UInt64 {
        guard known > since else { return 0 }
        let latest = Set(updates.map(\.sequence)).sorted(by: >)
        let places = Dictionary(uniqueKeysWithValues: latest.enumerated().map { ($1, UInt64($0)) })
        // A row's own changes are different ones, and those behind its last are none of them.
        let proven = updates.map { $0.count + (places[$0.sequence] ?? 0) }.max() ?? 0
        let total = known - since
        return total - min(total, additions + max(proven, UInt64(latest.count)))
    }
}
