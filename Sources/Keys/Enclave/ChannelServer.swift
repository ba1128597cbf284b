import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import ServerIPC
import SystemCalls

/// Serves channels: a thread for each, one request at a time on it; several channels are answered at once.
package final class ChannelServer: Sendable {
    /// A channel per worker thread of securityd, and those of requests that wait for something: beyond that they would only wait for the
    /// processor. A few more than these come to, since one that is closed is noticed a moment later.
    package static let maximumChannels = 32

    /// What it needs of the process around it.
    package struct Surroundings: Sendable {
        /// How the process is shut in.
        package var sandbox: @Sendable () -> [SandboxFact] = { [] }
        /// Whether the state folder that this process may open still stands at its place.
        package var isInPlace: @Sendable () -> Bool = { true }
        /// Whether there was a passcode, so that keys have to be gone when they are locked, from the stacks of these threads as well.
        package var hadPasscode: @Sendable () -> Bool = { false }
        package var warn: @Sendable (String) -> Void = { _ in }
        /// Called when the first channel was closed by the peer, when none is left, and with the reason when another folder stands in
        /// the place of ours: a process of its own ends with it.
        package var end: @Sendable (_ reason: String?) -> Void = { _ in }

        package init() {}
    }

    /// What ``Enclave/answer(_:passcodes:while:)`` does.
    package typealias Answer =
        @Sendable (
            _ request: EnclaveRequest, _ passcodes: [SecretBytes], _ isAwaited: () -> Bool
        ) -> EnclaveReply

    private let answer: Answer
    private let surroundings: Surroundings
    private let channels = AdaptiveMutex(0)
    /// Requests with a passcode that are read, or wait for their turn.
    private let passcodes = AdaptiveMutex(0)
    /// The same of file keychains' passwords.
    private let keychainPasswords = AdaptiveMutex(0)
    /// Those that wait for a biometric.
    private let matches = AdaptiveMutex(0)

    package init(_ surroundings: Surroundings, answer: @escaping Answer) {
        self.surroundings = surroundings
        self.answer = answer
    }

    /// Serves the first channel on this thread, until it ends. The others live on, unless whoever is told of the end ends the process.
    package func run(first descriptor: Int32) {
        _ = enter()
        if serve(descriptor) == .closed { surroundings.end(nil) }
        leave()
    }

    /// How many channels are served.
    package var count: Int { channels.withLock { $0 } }

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
                    return EnclaveEnvelope(
                        id: request.id, payload: try carryOut(request.payload, descriptors, descriptor))
                }
                try channel.send { reply.encode(to: &$0) }
                // Whoever asked has its answer already.
                if surroundings.hadPasscode() { ChatelaineMemory.wipeStack() }
            } catch FrameError.closed {
                return .closed
            } catch {
                // Both error types name what is wrong with the shape of a message and hold nothing of it.
                surroundings.warn("a channel is closed: its peer sent no message of ours (\(error))")
                return .refused
            }
        }
    }

    private func carryOut(
        _ request: EnclaveRequest, _ descriptors: borrowing DescriptorList, _ channel: Int32
    ) throws -> EnclaveReply {
        if case .openChannel = request {
            endIfDisplaced()
            return openChannel(descriptors)
        }
        if request.passcodeCount > 0 { return carryOutWithPasscodes(request, descriptors) }
        guard descriptors.count == 0 else { throw FrameError.unexpected }
        if request.waitsForBiometric { return carryOutWaiting(request, channel) }
        switch request {
        case .sandbox: return .sandbox(surroundings.sandbox())
        case .openStore:
            endIfDisplaced()
            return answer(request, []) { true }
        default: return answer(request, []) { true }
        }
    }

    /// A request that is withdrawn where its channel ends, before it is answered.
    private func carryOutWaiting(_ request: EnclaveRequest, _ channel: Int32) -> EnclaveReply {
        let isMine = matches.withLock { count in
            guard count < EnclaveWire.maximumMatches else { return false }
            count += 1
            return true
        }
        guard isMine else {
            return .failure(KeychainError(.notAvailable, "others wait for the reader of biometrics; try again"))
        }
        defer { matches.withLock { $0 -= 1 } }
        // Nothing is asked for: the end of the channel is told all the same.
        return answer(request, []) { SocketCalls.poll(channel, 0, 0).count == 0 }
    }

    private func carryOutWithPasscodes(
        _ request: EnclaveRequest, _ descriptors: borrowing DescriptorList
    ) -> EnclaveReply {
        guard descriptors.count == request.passcodeCount else {
            return .failure(
                KeychainError(
                    .param, "\(request.passcodeCount) descriptors belong to the request, and \(descriptors.count) came")
            )
        }
        guard enter(request) else {
            return .failure(KeychainError(.notAvailable, "other passcodes are being checked; try again"))
        }
        defer { leave(request) }
        do throws(KeychainError) {
            let reader = PasscodeReader(request.bringsKeychainPassword ? .keychain : .passcode)
            var passcodes: [SecretBytes] = []
            for index in 0..<request.passcodeCount {
                guard let descriptor = descriptors.duplicate(at: index) else {
                    throw KeychainError(.notAvailable, "no descriptor is left to read a passcode from")
                }
                passcodes.append(try reader.read(descriptor.number))
            }
            return answer(request, passcodes) { true }
        } catch { return .failure(error) }
    }

    private func enter(_ request: EnclaveRequest) -> Bool {
        func enter(_ places: borrowing AdaptiveMutex<Int>, _ limit: Int) -> Bool {
            places.withLock { count in
                guard count < limit else { return false }
                count += 1
                return true
            }
        }
        if request.bringsKeychainPassword { return enter(keychainPasswords, EnclaveWire.maximumKeychainPasswords) }
        let isAgent = request.passcodeOrigin == .agent
        return enter(passcodes, isAgent ? EnclaveWire.maximumPasscodes : EnclaveWire.maximumPasscodesOfPrograms)
    }

    private func leave(_ request: EnclaveRequest) {
        if request.bringsKeychainPassword {
            keychainPasswords.withLock { $0 -= 1 }
        } else {
            passcodes.withLock { $0 -= 1 }
        }
    }

    /// Ends the process where it could not open what stands at the path of its folder.
    private func endIfDisplaced() {
        guard !surroundings.isInPlace() else { return }
        surroundings.end("another state folder stands in the place of ours: a new enclaved has to open it")
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
        if isLast { surroundings.end(nil) }
    }
}
