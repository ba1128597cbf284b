import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol

/// A worker's end of its channel to the key custodian.
///
/// It serves one request after another until the custodian ends it.
package struct KeyWorkerChannel: ~Copyable {
    private let channel: FrameChannel

    /// Takes ownership of `descriptor`.
    package init(descriptor: Int32) { channel = FrameChannel(descriptor: descriptor, side: .server) }

    /// Serves requests; returns when the custodian closes the channel or breaks the protocol.
    package func serve() {
        var recent = RecentKey()
        do {
            while true {
                if recent.isKept, !channel.hasInput(within: RecentKey.milliseconds) { recent.forget() }
                let reply = try channel.withFrame(limit: KeyWorkerWire.maximumFrameBytes) { frame, descriptors in
                    guard descriptors.count == 0 else { throw FrameError.unexpected }
                    return KeyWork.answer(try KeyWorkerRequest(frame: frame), &recent)
                }
                // Wiped now, so that traces of the key do not stay until the next request.
                ChatelaineMemory.wipeStack()
                try channel.send { reply.encode(to: &$0) }
            }
        } catch {}
    }
}
