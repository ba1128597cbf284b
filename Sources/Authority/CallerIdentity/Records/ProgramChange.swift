import ChatelaineModel

/// A program whose file is not the recorded one for its path: the subject of a prompt, to which the answer is bound.
package struct ProgramChange: Sendable, Hashable {
    package let record: ApplicationRecord
    /// The digest of the file that runs.
    package let digest: ExecutableDigest
    /// When that file was last written, according to its own status; seconds since 1970.
    ///
    /// The owner can set it to anything.
    package let modified: Int64

    package var path: CanonicalPath { record.path }

    /// The recorded digest.
    ///
    /// Nil if this very file was accepted without the passcode that exists, so that no digest that counts is known.
    package var former: ExecutableDigest? {
        guard case .pinned(let former) = record.kind, former != digest else { return nil }
        return former
    }
}

/// Records that another file was accepted as the program at a path.
///
/// No decision rests on it; it tells people what they decided.
package struct ChangeRecord: Sendable, Hashable {
    /// The number of records for all programs of one user; the oldest is dropped to make room for another.
    static let maximumCount = 1024

    package let path: CanonicalPath
    /// The digest that was recorded until then, and since when; seconds since 1970.
    package let former: ExecutableDigest
    package let recorded: Int64
    package let digest: ExecutableDigest
    /// When the new digest was accepted; seconds since 1970.
    package let date: Int64
}

extension ApplicationRecord {
    /// When the record was decided, or first seen; seconds since 1970.
    package var decided: Int64 { accepted ?? since }
}

extension ApplicationLedger {
    /// The accepted changes, in the order in which they were made.
    package func changes() -> [ChangeRecord] { state.withLock { $0.changes } }

    /// The pin of a path, whether it counts or not.
    func pin(at path: CanonicalPath) -> ApplicationRecord? { state.withLock { $0.pins[path] } }
}

extension ApplicationLedger.State {
    /// Records that a digest replaces the recorded one.
    mutating func note(_ digest: ExecutableDigest, inPlaceOf pin: ApplicationRecord, at date: Int64) {
        guard case .pinned(let former) = pin.kind, former != digest else { return }
        changes.append(
            ChangeRecord(path: pin.path, former: former, recorded: pin.decided, digest: digest, date: date))
        if changes.count > ChangeRecord.maximumCount { changes.removeFirst() }
    }
}

extension IdentityResolver {
    /// The change about which a person can be asked, for an identity that is refused as changed; nil for any other
    /// identity.
    package func change(of identity: Identity, _ snapshot: ExecutableSnapshot) -> ProgramChange? {
        guard identity.state == .changed, let digest = identity.digest,
            let record = ledger.pin(at: identity.executablePath)
        else { return nil }
        return ProgramChange(record: record, digest: digest, modified: snapshot.status.modified / 1_000_000_000)
    }

    /// Whether the record and the file at the path are still the ones that were shown.
    package func isCurrent(_ change: ProgramChange) -> Bool {
        guard ledger.pin(at: change.path) == change.record else { return false }
        do throws(KeychainError) {
            let program = try program(at: change.path.text)
            return program.path == change.path && program.digest == change.digest
        } catch { return false }
    }
}
