import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem

/// What is asked of a process that forks workers: one more, or the end of one.
package struct ForkOrder: Hashable, Sendable {
    /// 0 for another worker, and in the answer for none; else the worker.
    package var pid: UInt32

    package init(pid: UInt32) { self.pid = pid }

    package func encode(to writer: inout CBORWriter) { writer.write(UInt64(pid)) }

    /// Exactly one order; anything else is refused.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(frame)
        self.init(pid: try UInt32(from: &reader))
        try reader.finish()
    }

    /// One number.
    package static let maximumFrameBytes = 64
}

/// A process that has loaded and prepared what its workers need, forks one for each order, and ends them.
///
/// A start by fork costs a fraction of what loading a program does. It reads orders of whoever started it and nothing else: a worker's channel goes on unread.
package struct ForkServer: ~Copyable {
    /// Makes a worker: its pid, and the other end of its channel. Whoever is the worker does not come back.
    package typealias Start = () -> (pid: UInt32, channel: Int32)?

    private let channel: FrameChannel
    private let start: Start
    private let end: (UInt32) -> Void
    private let close: (Int32) -> Void

    /// Takes over `descriptor`.
    ///
    /// - Parameter close: lets go of a descriptor once it was passed on.
    package init(
        descriptor: Int32, start: @escaping Start, end: @escaping (UInt32) -> Void, close: @escaping (Int32) -> Void
    ) {
        channel = FrameChannel(descriptor: descriptor, side: .server)
        (self.start, self.end, self.close) = (start, end, close)
    }

    /// Returns when nobody gives orders any more, or gives what is none.
    package func serve() {
        do {
            while true {
                let order = try channel.withFrame(limit: ForkOrder.maximumFrameBytes) { frame, descriptors in
                    guard descriptors.count == 0 else { throw FrameError.unexpected }
                    return try ForkOrder(frame: frame)
                }
                guard order.pid == 0 else {
                    end(order.pid)
                    try channel.send { ForkOrder(pid: 0).encode(to: &$0) }
                    continue
                }
                let worker = start()
                defer { if let worker { close(worker.channel) } }
                try channel.send(descriptors: worker.map { [$0.channel] } ?? []) {
                    ForkOrder(pid: worker?.pid ?? 0).encode(to: &$0)
                }
            }
        } catch {}
    }
}

/// The other end: whoever has the workers. One order at a time.
// `@unchecked Sendable`: whoever has it keeps it under a lock.
package struct ForkServerClient: @unchecked Sendable {
    private let channel: FrameChannel

    /// Takes over `descriptor`.
    ///
    /// - Parameter patience: how long an order may take, in seconds; a fork takes less than a millisecond.
    package init(descriptor: Int32, patience: Int) {
        channel = FrameChannel(descriptor: descriptor)
        channel.setPatience(seconds: patience)
    }

    /// Another worker, with a channel that is the caller's; nil where the server forks none, or is gone.
    package func start() -> (pid: UInt32, channel: Int32)? {
        do {
            try channel.send { ForkOrder(pid: 0).encode(to: &$0) }
            return try channel.withFrame(limit: ForkOrder.maximumFrameBytes, waits: false) { frame, descriptors in
                let order = try ForkOrder(frame: frame)
                guard order.pid > 0, let channel = descriptors.duplicate(at: 0) else { throw FrameError.unexpected }
                return (order.pid, channel.release())
            }
        } catch { return nil }
    }

    /// Ends a worker, whatever it does; false where the server is gone, and its workers with it.
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
