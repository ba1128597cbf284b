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
        var recent = RecentKey()
        do {
            while true {
                if recent.isKept, !channel.hasInput(within: RecentKey.milliseconds) { recent.forget() }
                let reply = try channel.withFrame(limit: KeyWorkerWire.maximumFrameBytes) { frame, descriptors in
                    guard descriptors.count == 0 else { throw FrameError.unexpected }
                    return KeyWork.answer(try KeyWorkerRequest(frame: frame), &recent)
                }
                // What was calculated with a key is not to lie there until the next one comes.
                ChatelaineMemory.wipeStack()
                try channel.send { reply.encode(to: &$0) }
            }
        } catch {}
    }
}
