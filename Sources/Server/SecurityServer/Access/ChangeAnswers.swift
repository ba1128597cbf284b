import CallerIdentity
import ChatelaineModel
import ChatelaineSystem

/// What people said about changed programs, by process (behaviour/callers.md, 9).
///
/// An answer counts on every connection of the process that asked, until the process ends or executes something. It
/// says nothing about another process of the same program.
final class ChangeAnswers: Sendable {
    /// The number of processes; a further one displaces the oldest, and a person is asked about that one again.
    ///
    /// Each keeps a few descriptors open.
    static let maximum = 64

    private struct Entry {
        let snapshot: ExecutableSnapshot
        let answer: ChangeAnswer
    }

    private let entries = AdaptiveMutex<[Entry]>([])

    /// The answer about the process of a snapshot; nil where there is none.
    func answer(for snapshot: ExecutableSnapshot) -> ChangeAnswer? {
        entries.withLock { $0 }.first { $0.snapshot.isOfProcess(of: snapshot) && $0.snapshot.isStillRunning() }?.answer
    }

    /// Remembers an answer about the process; nil forgets the one that there is.
    func set(_ answer: ChangeAnswer?, for snapshot: ExecutableSnapshot) {
        entries.withLock { entries in
            entries.removeAll { $0.snapshot.isOfProcess(of: snapshot) || !$0.snapshot.isStillRunning() }
            guard let answer else { return }
            if entries.count >= Self.maximum { entries.removeFirst() }
            entries.append(Entry(snapshot: snapshot, answer: answer))
        }
    }
}

extension ExecutableSnapshot {
    /// Whether both were taken of one process.
    fileprivate func isOfProcess(of other: ExecutableSnapshot) -> Bool {
        process.isSameProcess(pidfd: other.process.endDescriptor, pid: other.process.pid)
    }
}
