import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import Glibc
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import SecurityServer

/// Stands in for a program that forks workers, with a thread for each worker that does what a test says.
final class FakeWorkers: WorkerStarting {
    private let life: @Sendable (FrameChannel) -> Void
    private let running = Atomic(0)
    private let most = Atomic(0)
    let started = Counter()
    let ended = Counter()

    init(_ life: @escaping @Sendable (FrameChannel) -> Void) { self.life = life }

    /// The life of a worker that says nothing until its channel ends.
    static let untilTheEnd: @Sendable (FrameChannel) -> Void = { channel in
        while (try? channel.withFrame(limit: FrameLimits.requestBytes) { _, _ in }) != nil {}
    }

    var mostAtOnce: Int { most.load(ordering: .acquiring) }

    func start() throws(KeychainError) -> WorkerHandle {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw KeychainError(system: errno, "a socket pair") }
        let number = pair[1]
        let count = running.add(1, ordering: .acquiringAndReleasing).newValue
        most.max(count, ordering: .acquiringAndReleasing)
        let life = life
        _ = Worker.start { life(FrameChannel(descriptor: number, side: .server)) }
        return WorkerHandle(pid: UInt32(started.next()), channel: pair[0], generation: 1)
    }

    func awaitStarts(_ count: Int) throws {
        try started.wait(for: count)
        try #require(started.value == count)
    }

    func awaitEnds(_ count: Int) throws {
        try ended.wait(for: count)
        try #require(ended.value == count)
    }

    func end(_ worker: WorkerHandle, failed: Bool) {
        running.subtract(1, ordering: .acquiringAndReleasing)
        _ = ended.next()
    }
}
