import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol

/// A worker's end of its channel to the key custodian: one request after another, until the custodian lets go of it.
package struct KeyWorkerChannel: ~Copyable {
    private let channel: FrameChannel

    /// Takes over `descriptor`.
    package init(descriptor: Int32) { channel = FrameChannel(descriptor: descriptor, side: .server) }

    /// Returns when the custodian is gone, or says what no custodian says.
    package func serve() {
        do {
            while true {
                let reply = try channel.withFrame(limit: KeyWorkerWire.maximumFrameBytes) { frame, descriptors in
                    guard descriptors.count == 0 else { throw FrameError.unexpected }
                    return KeyWork.answer(try KeyWorkerRequest(frame: frame))
                }
                // What was calculated with a key is not to lie there until the next one comes.
                ChatelaineMemory.wipeStack()
                try channel.send { reply.encode(to: &$0) }
            }
        } catch {}
    }
}

/// Starts workers for the custodian and ends them. It sees no key: a worker's channel goes on to the custodian unread.
package struct KeyWorkerStarter: ~Copyable {
    /// Makes a worker: its pid, and the custodian's end of its channel. Whoever is the worker does not come back.
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

    /// Returns when the custodian is gone.
    package func serve() {
        do {
            while true {
                let order = try channel.withFrame(limit: KeyWorkerWire.maximumFrameBytes) { frame, descriptors in
                    guard descriptors.count == 0 else { throw FrameError.unexpected }
                    return try KeyWorkerOrder(frame: frame)
                }
                guard order.pid == 0 else {
                    end(order.pid)
                    try channel.send { KeyWorkerOrder(pid: 0).encode(to: &$0) }
                    continue
                }
                let worker = start()
                defer { if let worker { close(worker.channel) } }
                try channel.send(descriptors: worker.map { [$0.channel] } ?? []) {
                    KeyWorkerOrder(pid: worker?.pid ?? 0).encode(to: &$0)
                }
            }
        } catch {}
    }
}
