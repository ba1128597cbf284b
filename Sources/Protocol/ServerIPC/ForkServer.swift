import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem

/// An order to a process that forks workers: to start one, or to end one.
package struct ForkOrder: Hashable, Sendable {
    /// In an order, 0 to start a worker, otherwise the worker to end. In the answer, the worker; 0 for none.
    package var pid: UInt32

    package init(pid: UInt32) { self.pid = pid }

    package func encode(to writer: inout CBORWriter) { writer.write(UInt64(pid)) }

    /// Reads exactly one order; anything else is refused.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(frame)
        self.init(pid: try UInt32(from: &reader))
        try reader.finish()
    }

    /// The size of one number.
    package static let maximumFrameBytes = 64
}

/// A process that has loaded and prepared what its workers need, forks a worker for each order, and ends workers.
///
/// A fork costs a fraction of loading a program. The process reads nothing but the orders of the process that started
/// it: it passes workers' channels on unread.
package struct ForkServer: ~Copyable {
    /// Forks a worker: returns its pid and the other end of its channel. In the worker itself the call does not return.
    package typealias Start = () -> (pid: UInt32, channel: Int32)?

    private let channel: FrameChannel
    private let start: Start
    private let end: (UInt32) -> Void
    private let close: (Int32) -> Void
    private let idle: Int32

    /// Takes over `descriptor`.
    ///
    /// - Parameters:
    ///   - close: closes a descriptor once it was passed on.
    ///   - idle: the milliseconds to wait for the next order, longer than any worker works; -1 for no end.
    package init(
        descriptor: Int32, start: @escaping Start, end: @escaping (UInt32) -> Void, close: @escaping (Int32) -> Void,
        idle: Int32 = -1, calls: SocketCalls = .system
    ) {
        channel = FrameChannel(descriptor: descriptor, side: .server, calls: calls)
        (self.start, self.end, self.close, self.idle) = (start, end, close, idle)
    }

    /// Carries out orders; returns when the channel ends, at an invalid order, or when no order came for long enough.
    package func serve() {
        do {
            while idle < 0 || channel.hasInput(within: idle) {
                let order = try channel.withFrame(limit: ForkOrder.maximumFrameBytes) { frame, descriptors in
                    guard descriptors.count == 0 else { throw FrameError.unexpected }
                    return try ForkOrder(frame: frame)
                }
                guard order.pid == 0 else {
                    end(order.pid)
                    try channel.send { ForkOrder(pid: 0).encode(to: &$0) }
                    continue
                }
                try send(start())
            }
        } catch {}
    }

    /// Passes a worker on; one that the kernel does not pass on at this moment is ended.
    private func send(_ worker: (pid: UInt32, channel: Int32)?) throws {
        defer { if let worker { close(worker.channel) } }
        do {
            try channel.send(descriptors: worker.map { [$0.channel] } ?? []) {
                ForkOrder(pid: worker?.pid ?? 0).encode(to: &$0)
            }
        } catch FrameError.refused {
            if let worker { end(worker.pid) }
            try channel.send { ForkOrder(pid: 0).encode(to: &$0) }
        }
    }
}

/// The other end of a ``ForkServer``, in the process that uses the workers. One order at a time.
// `@unchecked Sendable`: its owner keeps it under a lock.
package struct ForkServerClient: @unchecked Sendable {
    private let channel: FrameChannel

    /// Takes over `descriptor`.
    ///
    /// - Parameter patience: how long an order may take, in seconds; a fork takes less than a millisecond.
    package init(descriptor: Int32, patience: Int) {
        channel = FrameChannel(descriptor: descriptor)
        channel.setPatience(seconds: patience)
    }

    /// The answer to the order to start a worker.
    package enum Start {
        /// A worker, whose channel the caller owns.
        case worker(pid: UInt32, channel: Int32)
        /// The server lives, and there is no worker: the system has no process or descriptor left.
        case none
        /// The server is gone, and its workers with it.
        case gone
    }

    package func start() -> Start {
        do {
            try channel.send { ForkOrder(pid: 0).encode(to: &$0) }
            let (pid, channel) = try channel.withFrame(limit: ForkOrder.maximumFrameBytes, waits: false) {
                (try ForkOrder(frame: $0).pid, $1.duplicate(at: 0)?.release())
            }
            guard pid > 0 else { return .none }
            if let channel { return .worker(pid: pid, channel: channel) }
            return end(pid) ? .none : .gone
        } catch { return .gone }
    }

    /// Ends a worker, whatever the worker is doing; false where the server is gone, and its workers with it.
    package func end(_ worker: UInt32) -> Bool {
        do {
            try channel.send { ForkOrder(pid: worker).encode(to: &$0) }
            _ = try channel.withFrame(limit: ForkOrder.maximumFrameBytes, waits: false) { frame, _ in
                try ForkOrder(frame: frame)
            }
            return true
        } catch { return false }
    }
}
