/// An upper bound for the missing changes after a number, computed from the rows that are present.
///
/// Each change has a number of its own. Each row records the change that wrote it last, and how many changes wrote it
/// in all. A change may write many rows, except an addition. So every new row proves one change, and other rows prove
/// only as many changes as must be different ones. The remaining number also counts changes that later ones replaced,
/// deletions, and the store's own changes.
struct ChangeAccount {
    let since: UInt64
    /// The highest number of any known change.
    let known: UInt64
    private var additions: UInt64 = 0
    /// For each row that was changed after its addition: its last change, and the number of its changes.
    private var updates: [(sequence: UInt64, count: UInt64)] = []

    init(since: UInt64, known: UInt64) {
        self.since = since
        self.known = known
    }

    /// Counts the changes that a row proves.
    ///
    /// - Parameter before: the row's version at the change `since`; 0 where the row did not exist, nil where that is
    ///   unknown.
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

    /// The most changes that may be missing.
    var missing: UInt64 {
        guard known > since else { return 0 }
        let latest = Set(updates.map(\.sequence)).sorted(by: >)
        let places = Dictionary(uniqueKeysWithValues: latest.enumerated().map { ($1, UInt64($0)) })
        // A row's own changes are different ones, and none of them comes after its last.
        let proven = updates.map { $0.count + (places[$0.sequence] ?? 0) }.max() ?? 0
        let total = known - since
        return total - min(total, additions + max(proven, UInt64(latest.count)))
    }
}
