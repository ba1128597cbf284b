import ChatelaineIPC
import ChatelaineSystem
import ServerIPC
import SystemCalls

/// A place at which threads are held up for as long as a test wants.
// `@unchecked Sendable`: everything that changes is touched under `monitor`.
final class Gate: @unchecked Sendable {
    private let monitor = Monitor()
    private var isShut = false
    private var waiting = 0

    func shut() { monitor.locked { isShut = true } }

    func open() {
        monitor.locked { isShut = false }
        monitor.broadcast()
    }

    func pass() {
        monitor.locked {
            waiting += 1
            monitor.broadcast()
            while isShut { monitor.wait() }
            waiting -= 1
        }
    }

    /// Returns once a thread is held up.
    func awaitSomebody() { monitor.locked { while !isShut || waiting == 0 { monitor.wait() } } }
}

/// Work on a thread of its own, whose end a test waits for.
// `@unchecked Sendable`: the result is touched under `monitor`.
final class Work<Value: Sendable>: @unchecked Sendable {
    private let monitor = Monitor()
    private var result: Result<Value, any Error>?

    init(_ body: @escaping @Sendable () throws -> Value) {
        let isStarted = Worker.start { [self] in
            let result = Result { try body() }
            monitor.locked { self.result = result }
            monitor.broadcast()
        }
        precondition(isStarted, "no thread")
    }

    var isDone: Bool { monitor.locked { result != nil } }

    func value() throws -> Value {
        let ended = monitor.locked {
            while true {
                if let result { return result }
                monitor.wait()
            }
        }
        return try ended.get()
    }
}
