import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Glibc
import InProcess
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import CallerIdentity
@testable import SecurityServer

/// A read of an environment may never return.
///
/// The helpers are played by threads of this test.
@Suite final class EnvironmentLookTests {
    /// securityd-look and the processes that it starts.
    private final class Lookers: Sendable {
        /// The orders to the process that starts and ends the others.
        let orders = Mutex<[Int32]>([])
        let hanging = Atomic<Int32>(0)
        let looks = Atomic(0)
        let answersEnvironments = Atomic(false)

        func supervisor() throws(Errno) -> Int32 {
            try serve { [self] order in
                orders.withLock { $0.append(order) }
                if order == ProcHelperSupervisor.countHanging { return (hanging.load(ordering: .relaxed), []) }
                guard order == ProcHelperSupervisor.start else { return (0, []) }
                return (1000, [(try? looker()) ?? -1])
            }
        }

        private func looker() throws(Errno) -> Int32 {
            try serve { [self] entry in
                guard UInt8(exactly: entry).flatMap({ ProcEntry(rawValue: $0) }) == .environment else { return (0, []) }
                looks.add(1, ordering: .relaxed)
                return answersEnvironments.load(ordering: .relaxed) ? (0, []) : nil
            }
        }

        /// One end of a channel whose other end answers until it is closed, or not at all for nil.
        private func serve(_ answer: @escaping @Sendable (Int32) -> (Int32, [Int32])?) throws(Errno) -> Int32 {
            var pair: [Int32] = [-1, -1]
            guard chatelaine_unix_socketpair(&pair) == 0 else { throw .last }
            let theirs = pair[1]
            _ = Work<Void> {
                let channel = HelperChannel(Descriptor(theirs))
                _ = channel.send(1)
                while let (number, descriptors) = channel.receive() {
                    for number in descriptors { close(number) }
                    guard let (reply, returned) = answer(number) else { continue }
                    _ = channel.send(reply, descriptors: returned)
                    for number in returned { close(number) }
                }
            }
            return pair[0]
        }
    }

    private let lookers = Lookers()
    private let reader: DelegatedProcReader
    private let slot = ConnectionSlot(socket: -1, pid: 1, uid: geteuid(), requests: RequestLimiter())
    private let folder = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC)

    init() throws {
        var calls = ProcessCalls.system
        let lookers = lookers
        calls.fork = { _ throws(Errno) in (999, try lookers.supervisor()) }
        reader = try DelegatedProcReader(processes: calls)
    }

    deinit { close(folder) }

    private func preloading() -> Preloading {
        reader.look(at: .environment, in: folder, for: slot).preloading
    }

    @Test func oneThatTakesLongIsUnknownAndTheHelperIsEnded() {
        let start = ContinuousClock.now
        #expect(preloading() == .unknown)
        let time = ContinuousClock.now - start
        #expect(time >= .milliseconds(DelegatedProcReader.environmentPatience - 100))
        #expect(time < .milliseconds(DelegatedProcReader.patience), "no other look is given up so soon")
        #expect(reader.unanswered == 1 && lookers.orders.withLock { $0.contains(1000) })
        lookers.answersEnvironments.store(true, ordering: .relaxed)
        #expect(preloading() == .none, "by another one")
    }

    /// A program lets one read after another hang, and others are still read.
    @Test func noneIsBegunWhileManyHang() {
        lookers.answersEnvironments.store(true, ordering: .relaxed)
        lookers.hanging.store(Int32(DelegatedProcReader.mostHanging), ordering: .relaxed)
        #expect(preloading() == .unknown && lookers.looks.load(ordering: .relaxed) == 0)
        #expect(reader.look(at: .root, in: folder, for: slot).error == 0)
        lookers.hanging.store(Int32(DelegatedProcReader.mostHanging) - 1, ordering: .relaxed)
        #expect(preloading() == .none)
    }
}
