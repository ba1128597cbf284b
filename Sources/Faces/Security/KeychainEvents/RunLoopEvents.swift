import CChatelaineRunLoop
import ChatelaineModel
import ChatelaineSystem

/// The events that wait for one run loop, and the source that wakes the loop.
///
/// The queue has a bounded size, so that a loop that does not run uses no more memory. Any thread adds events; only
/// the loop's thread delivers them.
final class RunLoopEvents: Sendable {
    private let callbacks: KeychainCallbacks
    /// The loop, which we retain: it outlasts its thread.
    private let loop: UInt
    /// The source, which we retain; 0 once it was removed.
    private let source = AdaptiveMutex<UInt>(0)
    private let queue = AdaptiveMutex(KeychainEventQueue())

    private init(_ callbacks: KeychainCallbacks, loop: UInt) { (self.callbacks, self.loop) = (callbacks, loop) }

    deinit { chatelaine_run_loop_release(UnsafeRawPointer(bitPattern: loop)) }

    /// Returns the object of this thread's loop from the known ones, or makes a new one; nil where there is no
    /// memory.
    static func ofThisThread(among known: [RunLoopEvents], _ callbacks: KeychainCallbacks) -> RunLoopEvents? {
        let loop = UInt(bitPattern: chatelaine_run_loop_current())
        if let old = known.first(where: { $0.loop == loop && $0.isThere }) {
            chatelaine_run_loop_release(UnsafeRawPointer(bitPattern: loop))
            return old
        }
        let new = RunLoopEvents(callbacks, loop: loop)
        let source = chatelaine_source_make(
            UnsafeRawPointer(bitPattern: loop), Unmanaged.passRetained(new).toOpaque(), calls)
        guard let source else { return nil }
        new.source.withLock { $0 = UInt(bitPattern: source) }
        return new
    }

    private var isThere: Bool { source.withLock { $0 != 0 } }

    func add(_ event: KeychainEvent) {
        queue.withLock { $0.add(event) }
        signal()
    }

    /// Removes the source, so that this loop gets no more events.
    func end() {
        let address = source.withLock { source in
            defer { source = 0 }
            return source
        }
        guard let source = UnsafeRawPointer(bitPattern: address) else { return }
        chatelaine_source_remove(source, UnsafeRawPointer(bitPattern: loop))
        chatelaine_run_loop_release(source)
    }

    private func signal() {
        let address = source.withLock { source in
            if let pointer = UnsafeRawPointer(bitPattern: source) { chatelaine_run_loop_retain(pointer) }
            return source
        }
        guard let source = UnsafeRawPointer(bitPattern: address) else { return }
        chatelaine_source_signal(source, UnsafeRawPointer(bitPattern: loop))
        chatelaine_run_loop_release(source)
    }

    /// Delivers the waiting events; a callback may add and remove callbacks, run the loop, and change keychains.
    private func perform() {
        guard callbacks.belongToThisProcess else { return }
        for _ in 0..<queue.withLock({ $0.count }) {
            guard let event = queue.withLock({ $0.next() }) else { return }
            for registration in callbacks.registrations(for: event, on: self)
            where callbacks.isRegistered(registration) { registration.deliver(event) }
        }
        // Events that came meanwhile have their turn after the other sources of the loop.
        if queue.withLock({ !$0.isEmpty }) { signal() }
    }

    private static func of(_ content: UnsafeRawPointer?) -> RunLoopEvents? {
        // SAFETY: sources are made for objects of this class alone, and have a reference.
        content.map { Unmanaged<RunLoopEvents>.fromOpaque($0).takeUnretainedValue() }
    }

    // PROOF for nonisolated(unsafe): written before it is shared, never changed and never freed.
    private nonisolated(unsafe) static let calls: UnsafePointer<chatelaine_source_calls> = {
        let calls = UnsafeMutablePointer<chatelaine_source_calls>.allocate(capacity: 1)
        calls.initialize(
            to: chatelaine_source_calls(
                perform: { RunLoopEvents.of($0)?.perform() },
                cancel: { content in
                    guard let events = RunLoopEvents.of(content), events.callbacks.belongToThisProcess else { return }
                    events.callbacks.forget(events)
                    events.end()
                },
                release: { if let content = $0 { Unmanaged<RunLoopEvents>.fromOpaque(content).release() } }))
        return UnsafePointer(calls)
    }()
}
