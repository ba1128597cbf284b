import ChatelaineModel

/// That the items which a program had stored unsigned went over to what its team calls it.
///
/// Nothing rests on it: it tells people where items are. It is there before they go, and until after they came back.
package struct AdoptionRecord: Sendable, Hashable {
    /// Programs of one user; the oldest is dropped to make room for a further one.
    static let maximumCount = 1024
    /// Bytes of ``group``: a name with its owner before it.
    static let longestGroup = 512

    package let path: CanonicalPath
    /// Of the program, then.
    package let digest: ExecutableDigest
    /// Where the items are.
    package let group: AccessGroup
    /// Seconds since 1970.
    package let date: Int64
}

extension ApplicationLedger {
    /// Every adoption, by path.
    package func adoptions() -> [AdoptionRecord] { state.withLock { $0.adoptionRecords } }

    /// Notes that the items of the program at a path went over to a group, or, without one, that they came back.
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
