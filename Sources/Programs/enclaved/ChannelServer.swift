import ChatelaineSystem
import ChatelaineIPC
import ChatelaineModel
import Enclave
import EnclaveProtocol
import Glibc
import ServerIPC

/// Serves channels: a thread for each, one request at a time on it; several channels are answered at once.
final class ChannelServer: Sendable {
    /// A channel per worker thread of securityd; beyond that they would only wait for the processor.
    static let maximumChannels = 16

    private let enclave: Enclave
    private let folder: ConfinedFolder
    private let channels = AdaptiveMutex(0)

    init(_ enclave: Enclave, _ folder: ConfinedFolder) {
        self.enclave = enclave
        self.folder = folder
    }

    /// Serves the first channel on this thread; ends the process when that channel ends, or when none is left.
    func run(first descriptor: Int32) -> Never {
        _ = enter()
        switch serve(descriptor) {
        case .closed: _exit(0)
        case .refused: leave()
        }
        // The others live on; the last one ends the process.
        while true { pause() }
    }

    private enum End {
        /// By the peer.
        case closed
        /// By us: the peer does not speak the protocol, or does not read.
        case refused
    }

    private func serve(_ descriptor: Int32) -> End {
        let channel = FrameChannel(descriptor: descriptor, side: .server)
        channel.setPatience()
        while true {
            do {
                let reply = try channel.withFrame(limit: EnclaveWire.maximumFrameBytes) { bytes, descriptors in
                    let request = try EnclaveEnvelope<EnclaveRequest>(decoding: bytes)
                    return EnclaveEnvelope(id: request.id, payload: try answer(request.payload, descriptors))
                }
                try channel.send { reply.encode(to: &$0) }
            } catch FrameError.closed {
                return .closed
            } catch {
                // Both error types name what is wrong with the shape of a message and hold nothing of it.
                Enclaved.log.warning("a channel is closed: its peer sent no message of ours (\(error))")
                return .refused
            }
        }
    }

    private func answer(
        _ request: EnclaveRequest, _ descriptors: borrowing DescriptorList
    ) throws -> EnclaveReply {
        if case .openChannel = request {
            endIfDisplaced()
            return openChannel(descriptors)
        }
        guard descriptors.count == 0 else { throw FrameError.unexpected }
        switch request {
        case .sandbox:
            return .sandbox(
                folder.record.states.map {
                    SandboxFact(name: $0.name, level: $0.level.rawValue, detail: $0.detail)
                })
        case .openStore:
            endIfDisplaced()
            return enclave.answer(request)
        default: return enclave.answer(request)
        }
    }

    /// Ends the process where it could not open what stands at the path of its folder.
    private func endIfDisplaced() {
        guard !folder.isInPlace else { return }
        Enclaved.log.notice("another state folder stands in the place of ours: a new enclaved has to open it")
        _exit(0)
    }

    private func openChannel(_ descriptors: borrowing DescriptorList) -> EnclaveReply {
        guard descriptors.count == 1, let descriptor = descriptors.duplicate(at: 0), Self.isStream(descriptor.number)
        else { return .failure(KeychainError(.param, "a new channel comes with one descriptor, a stream socket")) }
        guard enter() else {
            return .failure(KeychainError(.notAvailable, "\(Self.maximumChannels) channels are open; close one"))
        }
        let number = descriptor.release()
        let isStarted = Worker.start { [self] in
            _ = serve(number)
            leave()
        }
        guard isStarted else {
            close(number)
            leave()
            return .failure(KeychainError(.notAvailable, "no thread for a new channel; the system has no room for one"))
        }
        return .done
    }

    private static func isStream(_ descriptor: Int32) -> Bool {
        var type: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        // SAFETY: the call writes one Int32; it fails for what is no socket.
        guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 else { return false }
        return type == Int32(SOCK_STREAM.rawValue)
    }

    private func enter() -> Bool {
        channels.withLock { count in
            guard count < Self.maximumChannels else { return false }
            count += 1
            return true
        }
    }

    private func leave() {
        let isLast = channels.withLock { count in
            count -= 1
            return count == 0
        }
        if isLast { _exit(0) }
    }
}
