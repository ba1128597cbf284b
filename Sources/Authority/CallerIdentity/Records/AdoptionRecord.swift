import ChatelaineModel

/// Records that the items which a program stored unsigned moved to the group that its signature names.
///
/// No decision rests on the record; it tells people where the items are. It is written before the items move, and
/// removed after they came back.
package struct AdoptionRecord: Sendable, Hashable {
    /// The number of programs of one user; the oldest record is dropped to make room for another.
    static let maximumCount = 1024
    /// In bytes of ``group``: a name with its owner before it.
    static let longestGroup = 512

    package let path: CanonicalPath
    /// The digest of the program when its items moved.
    package let digest: ExecutableDigest
    /// The group that holds the items.
    package let group: AccessGroup
    /// Seconds since 1970.
    package let date: Int64
}

extension ApplicationLedger {
    /// Every adoption, by path.
    package func adoptions() -> [AdoptionRecord] { state.withLock { $0.adoptionRecords } }

    /// Records that the items of the program at a path moved to `group`; a nil group means that they came back.
    ///
    /// - Throws: as ``pin(_:digest:)``.
    package func noteAdoption(
        of path: CanonicalPath, _ digest: ExecutableDigest, to group: AccessGroup?
    ) throws(KeychainError) {
        let date = seconds
        try change { (state) in
            guard let group else { return state.adoptions.removeValue(forKey: path) != nil }
            state.adoptions[path] = AdoptionRecord(path: path, digest: digest, group: group, date: date)
            if state.adoptions.count > AdoptionRecord.maximumCount,
                let oldest = state.adoptions.values.min(by: { $0.date < $1.date })
            {
                state.adoptions[oldest.path] = nil
            }
            return true
        }
    }
}
