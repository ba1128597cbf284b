import ChatelaineIPC
import ChatelaineSystem
import ServerIPC
import SystemCalls

/// A place at which threads are held up for as long as a test wants.
final class Gate: Sendable {
    private let state = Monitor((isShut: false, waiting: 0))

    func shut() { state.withLock { $0.isShut = true } }

    func open() {
        state.withLock { $0.isShut = false }
        state.broadcast()
    }

    func pass() {
        state.withLock { $0.waiting += 1 }
        state.broadcast()
        state.wait { state -> Awaited<Void> in
            guard !state.isShut else { return .nothing() }
            state.waiting -= 1
            return .answer(())
        }
    }

    /// Returns once a thread is held up.
    func awaitSomebody() { state.waitUntil { $0.isShut && $0.waiting > 0 } }
}

/// Work on a thread of its own, whose end a test waits for.
final class Work<Value: Sendable>: Sendable {
    private let result = Monitor<Result<Value, any Error>?>(nil)

    init(_ body: @escaping @Sendable () throws -> Value) {
        let isStarted = Worker.start { [self] in
            let result = Result { try body() }
            self.result.withLock { $0 = result }
            self.result.broadcast()
        }
        precondition(isStarted, "no thread")
    }

    var isDone: Bool { result.withLock { $0 != nil } }

    func value() throws -> Value { try result.wait { $0.map { .answer($0) } ?? .nothing() }.get() }
}
