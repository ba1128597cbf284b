import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc

/// How a further channel comes to the custodian.
extension EnclaveConnection {
    /// A channel whose other end only the custodian has.
    ///
    /// This process closes its copy of that end before it waits for the first answer. Otherwise the channel would not
    /// show that the custodian is gone.
    func passChannel(over control: FrameChannel) throws -> FrameChannel {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else {
            throw NoChannel(reason: KeychainError(system: errno, "a socket pair"))
        }
        let ours = FrameChannel(descriptor: pair[0])
        let theirs = Descriptor(pair[1])
        let reply: EnclaveReply
        do { reply = try exchange(.openChannel, on: control, descriptors: [theirs.number]) } catch let unsent as Unsent
        {
            throw NoChannel(reason: unsent.reason)
        }
        switch reply {
        case .done: return ours
        case .failure(let error): throw NoChannel(reason: error)
        default: throw Self.confused
        }
    }

    /// There is no room for a further channel, which is no fault of the custodian.
    struct NoChannel: Error {
        let reason: KeychainError
    }
}
