import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Foundation
import Glibc

/// The callbacks of this process, in Swift and in C, and the one thread that receives events for all of them.
///
/// The connection and its thread exist as long as there are callbacks. The thread puts an event into the queue of
/// each run loop that has a callback for it. The run loop's own thread delivers the event (``RunLoopEvents``). When a
/// thread ends, its callbacks are removed. A forked child does not inherit its parent's callbacks.
package final class KeychainCallbacks: Sendable {
    package static var shared: KeychainCallbacks { ofEachProcess.value }

    // A fork can happen while another thread waits for securityd and holds `changing`.
    private static let ofEachProcess = PerProcess { KeychainCallbacks() }

    // `@unchecked Sendable`: what it delivers to is called on the thread alone that brought it.
    struct Registration: @unchecked Sendable {
        let number: UInt64
        let function: FunctionIdentity
        let mask: UInt32
        let events: RunLoopEvents
        let deliver: (KeychainEvent) -> Void
    }

    private struct State: Sendable {
        var registrations: [Registration] = []
        var listener: KeychainEventListener?
        var lastNumber: UInt64 = 0
    }

    private let owner = chatelaine_process()
    private let state = AdaptiveMutex(State())
    /// Held while a callback is added or removed, including the request to securityd; no event waits for it.
    private let changing = AdaptiveMutex<Void>(())

    /// Whether this process made them; a child takes no lock of its parent's callbacks.
    var belongToThisProcess: Bool { owner == chatelaine_process() }

    /// Registers a function for the run loop of this thread.
    ///
    /// - Parameter deliver: called on this thread, while its run loop runs.
    /// - Throws: `errSecDuplicateCallback`; and the errors of any call where securityd cannot be reached.
    package func add(
        _ function: FunctionIdentity, mask: UInt32, deliver: @escaping (KeychainEvent) -> Void
    ) throws(KeychainError) {
        try changing.withLock { (_) throws(KeychainError) in
            let known = state.withLock { $0.registrations }
            guard !known.contains(where: { $0.function == function }) else {
                throw KeychainError(.duplicateCallback, "the function is a callback already; remove it first")
            }
            let loop = RunLoopEvents.ofThisThread(among: known.map(\.events), self)
            guard let loop else { throw KeychainError(.allocate, "there is no memory for the callback") }
            let registration = state.withLock { state in
                state.lastNumber += 1
                let new = Registration(
                    number: state.lastNumber, function: function, mask: mask, events: loop, deliver: deliver)
                state.registrations.append(new)
                return new
            }
            // Listens after the registration counts, so that the end of another thread does not end the listener.
            do throws(KeychainError) { try listen() } catch {
                drop { $0.number == registration.number }
                throw error
            }
        }
    }

    /// - Throws: `errSecInvalidCallback` for a function that is not registered.
    package func remove(_ function: FunctionIdentity) throws(KeychainError) {
        try changing.withLock { (_) throws(KeychainError) in
            guard drop(where: { $0.function == function }) else {
                throw KeychainError(.invalidCallback, "the function is no callback; nothing was removed")
            }
        }
    }

    /// Removes the callbacks of a thread that has ended.
    func forget(_ events: RunLoopEvents) { drop { $0.events === events } }

    /// The callbacks on a run loop that are registered now for an event, or for what it may stand for.
    func registrations(for event: KeychainEvent, on events: RunLoopEvents) -> [Registration] {
        state.withLock { $0.registrations.filter { $0.events === events && $0.mask & event.mask != 0 } }
    }

    func isRegistered(_ registration: Registration) -> Bool {
        state.withLock { $0.registrations.contains { $0.number == registration.number } }
    }

    // MARK: Listening

    private func listen() throws(KeychainError) {
        guard state.withLock({ $0.listener == nil }) else { return }
        let listener = try KeychainEventListener()
        state.withLock { $0.listener = listener }
        let thread = Thread { [self] in
            // The program's own threads handle its signals.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            while let event = listener.next() { hand(event, from: listener) }
        }
        thread.name = "keychain-events"
        thread.start()
    }

    private func hand(_ event: KeychainEvent, from listener: KeychainEventListener) {
        let loops = state.withLock { state -> [RunLoopEvents] in
            guard state.listener === listener else { return [] }
            return state.registrations.filter { $0.mask & event.mask != 0 }.map(\.events)
        }
        var told: Set<ObjectIdentifier> = []
        for loop in loops where told.insert(ObjectIdentifier(loop)).inserted { loop.add(event) }
    }

    /// - Returns: whether a callback was removed.
    @discardableResult
    private func drop(where isMeant: (Registration) -> Bool) -> Bool {
        let (dropped, left, listener) = state.withLock { state in
            let dropped = state.registrations.filter(isMeant)
            state.registrations.removeAll(where: isMeant)
            guard state.registrations.isEmpty else {
                return (dropped, state.registrations, nil as KeychainEventListener?)
            }
            defer { state.listener = nil }
            return (dropped, [], state.listener)
        }
        listener?.end()
        for old in dropped where !left.contains(where: { $0.events === old.events }) { old.events.end() }
        return !dropped.isEmpty
    }
}

/// The identity of a function: the two words that a function value consists of.
package struct FunctionIdentity: Hashable, Sendable {
    private let code: UInt
    private let captured: UInt

    /// Identifies a C function.
    package init(_ code: UInt) { (self.code, captured) = (code, 0) }

    /// Identifies a Swift function; a closure with captures is another function each time that it is made.
    init(_ callback: @escaping SecKeychainCallback) {
        struct Stored { let callback: SecKeychainCallback }
        // SAFETY: Swift's ABI has a function value be these two words, and nothing else reads them.
        (code, captured) = withUnsafeBytes(of: Stored(callback: callback)) {
            ($0.load(as: UInt.self), $0.load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt.self))
        }
    }
}
