import ChatelaineModel

/// A program whose file is not the one that is recorded for its path: what a person is asked about, and what the answer is bound to.
package struct ProgramChange: Sendable, Hashable {
    package let record: ApplicationRecord
    /// Of the file that runs.
    package let digest: ExecutableDigest
    /// When that was last written, as the file says; seconds since 1970. Its owner can set it to anything.
    package let modified: Int64

    package var path: CanonicalPath { record.path }

    /// The recorded one; nil where this very file was accepted without the passcode that there is, so that nobody knows a digest which counts.
    package var former: ExecutableDigest? {
        guard case .pinned(let former) = record.kind, former != digest else { return nil }
        return former
    }
}

/// That another file was taken for the program at a path. Nothing rests on it: it tells people what they have decided.
package struct ChangeRecord: Sendable, Hashable {
    /// Of all programs of one user; the oldest is dropped to make room for a further one.
    static let maximumCount = 1024

    package let path: CanonicalPath
    /// What was recorded until then, and since when; seconds since 1970.
    package let former: ExecutableDigest
    package let recorded: Int64
    package let digest: ExecutableDigest
    /// When it was accepted.
    package let date: Int64
}

extension ApplicationRecord {
    /// When what it says was decided, or first seen.
    package var decided: Int64 { accepted ?? since }
}

extension ApplicationLedger {
    /// What was accepted, in that order.
    package func changes() -> [ChangeRecord] { state.withLock { $0.changes } }

    /// What is recorded of the program at a path, whether it counts or not.
    func pin(at path: CanonicalPath) -> ApplicationRecord? { state.withLock { $0.pins[path] } }
}

extension ApplicationLedger.State {
    /// Notes that a digest takes the place of the recorded one.
    mutating func note(_ digest: ExecutableDigest, inPlaceOf pin: ApplicationRecord, at date: Int64) {
        guard case .pinned(let former) = pin.kind, former != digest else { return }
        changes.append(
            ChangeRecord(path: pin.path, former: former, recorded: pin.decided, digest: digest, date: date))
        if changes.count > ChangeRecord.maximumCount { changes.removeFirst() }
    }
}

extension IdentityResolver {
    /// What a person could be asked about an identity that is refused as changed; nil of any other.
    package func change(of identity: Identity, _ snapshot: ExecutableSnapshot) -> ProgramChange? {
        guard identity.state == .changed, let digest = identity.digest,
            let record = ledger.pin(at: identity.executablePath)
        else { return nil }
        return ProgramChange(record: record, digest: digest, modified: snapshot.status.modified / 1_000_000_000)
    }

    /// Whether it is all as it was shown: the record, and the file that stands at the path.
    package func isCurrent(_ change: ProgramChange) -> Bool {
        guard ledger.pin(at: change.path) == change.record else { return false }
        do throws(KeychainError) {
            let program = try program(at: change.path.text)
            return program.path == change.path && program.digest == change.digest
        } catch { return false }
    }
}
