import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Synchronization
import SystemCalls
import Testing

@testable import SecurityServer

/// Helpers report errors where the system gives them no process, descriptor or answer.
@Suite struct HelperCallTests {
    /// A system without processes, which records its calls and fails as a test says.
    private final class FakeProcesses: Sendable {
        let log = Mutex<[String]>([])
        let failures = Mutex<[String: [Int32]]>([:])
        /// The results of waitpid(2) for any child, in order.
        let ended = Mutex<[Int32]>([])
        private let lastPID = Atomic<Int32>(100)

        func fail(_ call: String, _ errors: Int32...) { failures.withLock { $0[call] = errors } }

        private func enter(_ call: String, _ words: String = "") throws(Errno) {
            log.withLock { $0.append(words.isEmpty ? call : "\(call) \(words)") }
            let error = failures.withLock { failures -> Int32? in
                guard failures[call]?.isEmpty == false else { return nil }
                return failures[call]?.removeFirst()
            }
            if let error { throw Errno(error) }
        }

        private func next() -> Int32 { lastPID.wrappingAdd(1, ordering: .relaxed).newValue }

        var calls: ProcessCalls {
            var calls = ProcessCalls.system
            calls.fork = { [self] _ throws(Errno) in
                try enter("fork")
                return (next(), 9)
            }
            calls.spawn = { [self] program, words, environment, channels throws(Errno) in
                try enter("spawn", "\(words.joined(separator: " ")) \(channels[0])")
                return next()
            }
            calls.kill = { [self] pid, signal throws(Errno) in try enter("kill", "\(pid) \(signal)") }
            calls.waitpid = { [self] pid, waits throws(Errno) in
                try enter("wait", "\(pid)")
                guard pid == -1 else { return pid }
                return ended.withLock { $0.isEmpty ? 0 : $0.removeFirst() }
            }
            return calls
        }
    }

    private let system = FakeProcesses()
    private var heard: [String] {
        system.log.withLock { log in
            defer { log = [] }
            return log
        }
    }

    // MARK: Dialogs

    @Test func agentsAreBoundedAndOnlyTheyAreEnded() {
        var agents = ProcessStarter.Processes(
            .dialogs(program: "/a", pinentry: "/p", session: ["DISPLAY=:0"]), calls: system.calls)
        system.fail("spawn", ENOENT)
        #expect(agents.carryOut(ProcessStarter.start, channel: 7) == -ENOENT)
        let pids = (0..<ProcessStarter.mostDialogs).map { _ in agents.carryOut(ProcessStarter.start, channel: 7) }
        #expect(pids.allSatisfy { $0 > 0 } && agents.carryOut(ProcessStarter.start, channel: 7) == -EAGAIN)
        #expect(heard == [String](repeating: "spawn /a --pinentry /p 7", count: ProcessStarter.mostDialogs + 1))
        // The helper leaves other processes alone, and also those that it ended before.
        for pid in [1, pids[0], pids[0], -1] { #expect(agents.carryOut(pid, channel: -1) == 0) }
        #expect(heard == ["kill \(pids[0]) \(SIGKILL)", "wait \(pids[0])"])
        #expect(agents.carryOut(ProcessStarter.start, channel: 7) > 0)
    }

    // MARK: The custodian

    @Test func aCustodianThatDoesNotStartIsAnError() {
        var custodian = Spawner.Custodian(program: "/p", stateFolder: "/s", calls: system.calls)
        system.fail("spawn", ENOMEM, EACCES)
        var answers = [custodian.carryOut(Spawner.Order.start, channel: 7)]
        answers.append(custodian.carryOut(Spawner.Order.start, channel: 7))
        // No custodian runs that could be ended.
        answers.append(custodian.carryOut(Spawner.Order.end, channel: -1))
        #expect(answers == [-ENOMEM, -EACCES, 0] && custodian.pid == 0)
        let spawning = "spawn /p --state-folder /s 7"
        #expect(heard == [spawning, spawning])
        let pid = custodian.carryOut(Spawner.Order.start, channel: 8)
        #expect(pid == 101 && custodian.pid == 101)
    }

    @Test func theLastOneHasEndedBeforeTheNextBegins() {
        var custodian = Spawner.Custodian(program: "/p", stateFolder: "/s", calls: system.calls)
        var answers = [custodian.carryOut(Spawner.Order.start, channel: 7)]
        system.fail("wait", EINTR, EINTR)
        answers.append(custodian.carryOut(Spawner.Order.start, channel: 8))
        #expect(answers == [101, 102])
        #expect(
            heard == [
                "spawn /p --state-folder /s 7", "kill 101 \(SIGKILL)", "wait 101", "wait 101", "wait 101",
                "spawn /p --state-folder /s 8",
            ])
        // A process that is no longer a child is not waited for.
        system.fail("kill", ESRCH)
        system.fail("wait", ECHILD)
        let answer = custodian.carryOut(Spawner.Order.end, channel: -1)
        #expect(answer == 0)
        #expect(heard == ["kill 102 \(SIGKILL)", "wait 102"])
    }

    /// The custodian gets one end of a channel and securityd-match the other, if it runs.
    @Test func eachCustodianHasAChannelOfItsOwn() throws {
        var pair: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&pair) == 0)
        let matcher = HelperChannel(Descriptor(pair[1]))
        var custodian = Spawner.Custodian(program: "/p", stateFolder: "/s", calls: system.calls)
        var answers = [custodian.carryOut(Spawner.Order.start, channel: 7, matcher: pair[0])]
        let received = matcher.receive()
        let first = try #require(received)
        #expect(first.number == 1 && first.descriptors.count == 1)
        // The end is closed here once the custodian has it, and no custodian runs in this test.
        var byte: UInt8 = 0
        #expect(read(first.descriptors[0], &byte, 1) == 0)
        for descriptor in first.descriptors { close(descriptor) }
        #expect(heard == ["spawn /p --state-folder /s --matcher 4 7"])
        // If securityd-match has ended, the custodian does without it.
        shutdown(pair[1], Int32(SHUT_RDWR))
        answers.append(custodian.carryOut(Spawner.Order.start, channel: 8, matcher: pair[0]))
        #expect(answers == [101, 102] && heard.last == "spawn /p --state-folder /s 8")
        close(pair[0])
    }

    // MARK: Those that look

    @Test func anotherOneIsStartedWhileThereIsRoom() {
        var children = ProcHelperSupervisor.Children(calls: system.calls)
        system.fail("fork", EAGAIN)
        let refused = children.carryOut(ProcHelperSupervisor.start)
        #expect(refused.0 == -EAGAIN && refused.1.isEmpty)
        for number in 1...ProcHelperSupervisor.mostProcesses {
            let started = children.carryOut(ProcHelperSupervisor.start)
            #expect(started.0 == 100 + Int32(number) && started.1 == [9])
        }
        let tooMany = children.carryOut(ProcHelperSupervisor.start)
        #expect(tooMany.0 == -EAGAIN && tooMany.1.isEmpty)
        // A process that has ended makes room.
        system.ended.withLock { $0 = [105] }
        let further = children.carryOut(ProcHelperSupervisor.start)
        #expect(further.0 > 0)
    }

    @Test func onlyThoseThatAreOursAreKilled() {
        var children = ProcHelperSupervisor.Children(calls: system.calls)
        let started = children.carryOut(ProcHelperSupervisor.start)
        #expect(started.0 == 101 && heard == ["wait -1", "fork"])
        var answers = [children.carryOut(1).0]
        system.fail("kill", EPERM)
        answers.append(children.carryOut(101).0)
        #expect(heard == ["wait -1", "wait -1", "kill 101 \(SIGKILL)"])
        system.ended.withLock { $0 = [101] }
        answers.append(children.carryOut(101).0)
        #expect(answers == [0, 0, 0] && children.pids.isEmpty)
        // Another process may have its number by now.
        #expect(heard == ["wait -1", "wait -1"])
    }

    @Test func thoseThatHangAreCounted() {
        var children = ProcHelperSupervisor.Children(calls: system.calls)
        for _ in 0..<3 { _ = children.carryOut(ProcHelperSupervisor.start) }
        var counts = [children.carryOut(ProcHelperSupervisor.countHanging).0]
        for pid in [101, 101, 103, 1] as [Int32] { _ = children.carryOut(pid) }
        counts.append(children.carryOut(ProcHelperSupervisor.countHanging).0)
        system.ended.withLock { $0 = [103, 102] }
        counts.append(children.carryOut(ProcHelperSupervisor.countHanging).0)
        #expect(counts == [0, 2, 1])
    }

    // MARK: Helpers

    @Test func noProcessForAHelperIsAnError() {
        system.fail("fork", EAGAIN, ENOMEM)
        #expect(throws: KeychainError(.notAvailable, "")) { _ = try DelegatedProcReader(processes: system.calls) }
        #expect(throws: KeychainError(.allocate, "")) {
            _ = try Spawner(program: "/p", keyWorker: nil, stateFolder: "/s", matcher: -1, calls: system.calls)
        }
    }

    private static func channel(
        wait: @escaping @Sendable () -> (count: Int, error: Int32) = { (1, 0) }, receive: [Int32] = [],
        send: [Int32] = []
    ) throws -> Ends {
        var pair: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&pair) == 0)
        let (receiving, sending) = (Errors(receive), Errors(send))
        let calls = SocketCalls(
            wait: { _, _, _ in wait() },
            receive: { socket, buffer, ancillary in
                if let error = receiving.next() { return (-1, error) }
                return SocketCalls.system.receive(socket, buffer, &ancillary)
            },
            send: { socket, bytes, descriptors in
                if let error = sending.next() { return (-1, error) }
                return SocketCalls.system.send(socket, bytes, descriptors)
            })
        return Ends(
            ours: HelperChannel(Descriptor(pair[0]), calls: calls), theirs: HelperChannel(Descriptor(pair[1])))
    }

    private final class Ends {
        private let ours: HelperChannel
        private let theirs: HelperChannel

        init(ours: consuming HelperChannel, theirs: consuming HelperChannel) {
            self.ours = ours
            self.theirs = theirs
        }

        func send(_ number: Int32, _ descriptors: [Int32] = []) -> HelperChannel.Delivery {
            ours.send(number, descriptors: descriptors)
        }

        func answer(_ number: Int32) -> HelperChannel.Delivery { theirs.send(number) }

        func received() -> Int32? { ours.receive()?.number }

        /// The number that the peer received, and the number of descriptors, which are closed.
        func arrived() -> [Int32] {
            guard theirs.hasNews(milliseconds: 10_000), let (number, descriptors) = theirs.receive() else { return [] }
            for number in descriptors { close(number) }
            return [number, Int32(descriptors.count)]
        }
    }

    private final class Errors: Sendable {
        private let left: Mutex<[Int32]>
        init(_ errors: [Int32]) { left = Mutex(errors) }
        func next() -> Int32? { left.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }

    @Test func aChannelGoesOnAfterInterruptions() throws {
        let ends = try Self.channel(receive: [EINTR, EAGAIN], send: [EINTR, EAGAIN])
        #expect(ends.send(5) == .done)
        #expect(ends.arrived() == [5, 0])
        #expect(ends.answer(6) == .done)
        #expect(ends.received() == 6)
    }

    @Test(arguments: [ETOOMANYREFS, ENOBUFS, ENOMEM])
    func descriptorsThatTheKernelRefusesEndNothing(_ error: Int32) throws {
        let ends = try Self.channel(send: [error])
        #expect(ends.send(5, [STDERR_FILENO]) == .refused(error))
        #expect(ends.send(5, [STDERR_FILENO]) == .done)
        #expect(ends.arrived() == [5, 1])
    }

    @Test func aPeerThatIsGoneIsLost() throws {
        let ends = try Self.channel(receive: [ECONNRESET], send: [EPIPE])
        #expect(ends.send(5) == .lost)
        #expect(ends.received() == nil)
        let waiting = try Self.channel(wait: { (-1, ENOMEM) }, receive: [EAGAIN], send: [EAGAIN])
        #expect(waiting.send(5) == .lost)
        #expect(waiting.received() == nil)
    }
}
