import ChatelaineModel
import StoreEngine

/// The items of the passcode class whose keys are destroyed: nothing opens them, and they count as deleted.
///
/// The removal of a passcode destroys the keys first, so that nothing is half done if the process ends in between. A
/// search that meets such a row deletes it, and the next ``purgeDestroyed()`` deletes all others.
extension ItemStore {
    /// Rows that one read looks at.
    private static let destroyedBatch: Int64 = 4096

    /// A row of the passcode class, with the metadata key that seals it.
    private struct Candidate {
        let row: Int64
        let key: UInt32
    }

    /// Deletes all items under destroyed keys; answers how many there were.
    @discardableResult
    package func purgeDestroyed() throws(KeychainError) -> Int {
        var (last, count): (Int64, Int) = (0, 0)
        var isDestroyed: [UInt32: Bool] = [:]
        while !isRetired {
            let (candidates, next) = try readers.read { [last] (reader) throws(KeychainError) in
                try Self.candidates(after: last, reader)
            }
            for key in Set(candidates.map(\.key)) where isDestroyed[key] == nil {
                isDestroyed[key] = try metadataKeys.isDestroyed(key)
            }
            count += try purge(candidates.filter { isDestroyed[$0.key] == true })
            guard let next else { break }
            last = next
        }
        return count
    }

    /// Deletes the items under one key, which the caller knows to be destroyed.
    func purge(under key: UInt32) throws(KeychainError) {
        var last: Int64 = 0
        while true {
            let (candidates, next) = try readers.read { [last] (reader) throws(KeychainError) in
                try Self.candidates(after: last, reader)
            }
            _ = try purge(candidates.filter { $0.key == key })
            guard let next else { return }
            last = next
        }
    }

    private static func candidates(
        after last: Int64, _ reader: Reader
    ) throws(KeychainError) -> (candidates: [Candidate], next: Int64?) {
        let statement = try PreparedStatement(
            reader.handle, "SELECT row, pdmn, metadata_key FROM items WHERE row > ?1 ORDER BY row LIMIT ?2")
        statement.bind(1, last)
        statement.bind(2, destroyedBatch)
        var candidates: [Candidate] = []
        var next: Int64?
        while try statement.step() {
            next = statement.integer(0)
            guard statement.integer(1) == Int64(Accessibility.whenPasscodeSetThisDeviceOnly.rawValue),
                let key = UInt32(exactly: statement.integer(2))
            else { continue }
            candidates.append(Candidate(row: statement.integer(0), key: key))
        }
        return (candidates, next)
    }

    private func purge(_ candidates: [Candidate]) throws(KeychainError) -> Int {
        guard !candidates.isEmpty else { return 0 }
        return try writer.transaction { (session) throws(KeychainError) -> WriteOutcome<Int> in
            let statement = try session.statements[.row]
            var count = 0
            for candidate in candidates {
                statement.bind(1, candidate.row)
                // SQLite may have given the row's number to another item by now.
                let isSame =
                    try statement.step() && statement.integer(StoredRow.Column.metadataKey) == Int64(candidate.key)
                statement.reset()
                guard isSame else { continue }
                try session.delete(row: candidate.row)
                count += 1
            }
            return .commit(count)
        }
    }
}
