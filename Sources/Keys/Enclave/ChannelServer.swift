import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import ServerIPC
import SystemCalls

/// Serves channels: each on its own thread, one request at a time.
///
/// Several channels are answered at once.
package final class ChannelServer: Sendable {
    /// One channel for each worker thread of securityd, and for requests that wait for something.
    ///
    /// More would only wait for the processor. It is a few more than needed, since a closed channel is noticed a moment
    /// later.
    package static let maximumChannels = 40

    /// The functions that the server needs from its process.
    package struct Surroundings: Sendable {
        /// The facts about the sandbox of the process.
        package var sandbox: @Sendable () -> [SandboxFact] = { [] }
        /// Whether the state folder to which the sandbox is bound is still at its path.
        package var isInPlace: @Sendable () -> Bool = { true }
        /// Whether there was a passcode, so that locked keys must also be wiped from the stacks of these threads.
        package var hadPasscode: @Sendable () -> Bool = { false }
        package var warn: @Sendable (String) -> Void = { _ in }
        /// Ends the process.
        ///
        /// Called without a reason when the peer closed the first channel, and when no channel is left. Called with a
        /// reason when another folder replaced the state folder.
        package var end: @Sendable (_ reason: String?) -> Void = { _ in }

        package init() {}
    }

    /// The custodian that answers; it throws where that one has ended.
    private let enclave: @Sendable () throws(KeychainError) -> Enclave
    private let surroundings: Surroundings
    private let channels = AdaptiveMutex(0)
    /// The number of requests whose passcode is being read or waits for its turn.
    private let passcodes = AdaptiveMutex(0)
    /// The same number for passwords of file keychains.
    private let keychainPasswords = AdaptiveMutex(0)
    /// The same number for passwords that programs give their contexts.
    private let credentials = AdaptiveMutex(0)
    /// The number of requests that wait for a biometric.
    private let matches = AdaptiveMutex(0)

    package init(_ surroundings: Surroundings, enclave: @escaping @Sendable () throws(KeychainError) -> Enclave) {
        self.surroundings = surroundings
        self.enclave = enclave
    }

    /// Serves the first channel on this thread until it ends.
    ///
    /// The other channels live on, unless `end` ends the process.
    package func run(first descriptor: Int32) {
        _ = enter()
        if serve(descriptor) == .closed { surroundings.end(nil) }
        leave()
    }

    /// The number of channels that are served.
    package var count: Int { channels.withLock { $0 } }

    private enum End {
        /// The peer closed the channel.
        case closed
        /// The server closed it: the peer does not speak the protocol, or does not read.
        case refused
    }

    private func serve(_ descriptor: Int32) -> End {
        let channel = FrameChannel(descriptor: descriptor, side: .server)
        channel.setPatience()
        while true {
            do {
                let answer = try channel.withFrame(limit: EnclaveWire.maximumFrameBytes) { bytes, descriptors in
                    let request = try EnclaveRequestReader(bytes)
                    guard let route = EnclaveRouter.shared.route(of: request.operation) else {
                        throw FrameError.unexpected
                    }
                    return EnclaveAnswer(id: request.id, try route.serve(request, self, descriptors, descriptor))
                }
                try channel.send { answer.encode(to: &$0) }
                // The client already has its answer, so this does not delay it.
                if surroundings.hadPasscode() { ChatelaineMemory.wipeStack() }
            } catch FrameError.closed {
                return .closed
            } catch {
                // The errors describe the form of a message and contain nothing of its content.
                surroundings.warn("a channel is closed: its peer sent no message of ours (\(error))")
                return .refused
            }
        }
    }

    // MARK: Answers

    /// Throws where descriptors came with a request that calls for none.
    static func checkIsEmpty(_ descriptors: borrowing DescriptorList) throws {
        guard descriptors.count == 0 else { throw FrameError.unexpected }
    }

    func answer(
        _ carryOut: (Enclave) throws(KeychainError) -> any EnclaveReply
    ) -> Result<any EnclaveReply, KeychainError> {
        Result { () throws(KeychainError) in try carryOut(enclave()) }
    }

    /// Carries out a request that waits for a person, and withdraws it if its channel ends first.
    func answerWaiting(
        on channel: Int32, _ carryOut: (Enclave, () -> Bool) throws(KeychainError) -> any EnclaveReply
    ) -> Result<any EnclaveReply, KeychainError> {
        let isMine = matches.withLock { count in
            guard count < EnclaveWire.maximumMatches else { return false }
            count += 1
            return true
        }
        guard isMine else {
            return .failure(KeychainError(.notAvailable, "others wait for the reader of biometrics; try again"))
        }
        defer { matches.withLock { $0 -= 1 } }
        return answer { (enclave) throws(KeychainError) in
            // A poll for no event still reports the end of the channel.
            try carryOut(enclave) { SocketCalls.poll(channel, 0, 0).count == 0 }
        }
    }

    /// Carries out a request with the passcodes that it announces, each of which is in a descriptor.
    func answer(
        _ announced: RequestPasscodes?, _ descriptors: borrowing DescriptorList,
        _ carryOut: (Enclave, [SecretBytes]) throws(KeychainError) -> any EnclaveReply
    ) throws -> Result<any EnclaveReply, KeychainError> {
        guard let announced else {
            try Self.checkIsEmpty(descriptors)
            return answer { (enclave) throws(KeychainError) in try carryOut(enclave, []) }
        }
        guard descriptors.count == announced.count else {
            return .failure(
                KeychainError(
                    .param, "\(announced.count) descriptors belong to the request, and \(descriptors.count) came"))
        }
        guard enter(announced.place) else {
            return .failure(KeychainError(.notAvailable, "other passcodes are being checked; try again"))
        }
        defer { leave(announced.place) }
        do throws(KeychainError) {
            let reader = PasscodeReader(announced.place == .keychain ? .keychain : .passcode)
            var passcodes: [SecretBytes] = []
            for index in 0..<announced.count {
                guard let descriptor = descriptors.duplicate(at: index) else {
                    throw KeychainError(.notAvailable, "no descriptor is left to read a passcode from")
                }
                passcodes.append(try reader.read(descriptor.number))
            }
            return .success(try carryOut(enclave(), passcodes))
        } catch { return .failure(error) }
    }

    private func enter(_ place: PasscodePlace) -> Bool {
        func enter(_ places: borrowing AdaptiveMutex<Int>, _ limit: Int) -> Bool {
            places.withLock { count in
                guard count < limit else { return false }
                count += 1
                return true
            }
        }
        return switch place {
        case .keychain: enter(keychainPasswords, EnclaveWire.maximumKeychainPasswords)
        case .credential: enter(credentials, EnclaveWire.maximumCredentials)
        case .agent: enter(passcodes, EnclaveWire.maximumPasscodes)
        case .program: enter(passcodes, EnclaveWire.maximumPasscodesOfPrograms)
        }
    }

    private func leave(_ place: PasscodePlace) {
        switch place {
        case .keychain: keychainPasswords.withLock { $0 -= 1 }
        case .credential: credentials.withLock { $0 -= 1 }
        case .agent, .program: passcodes.withLock { $0 -= 1 }
        }
    }

    // MARK: Requests about the process

    static let routes: [EnclaveRoute] = [
        .init(process: sandbox),
        .init(process: openChannel),
    ]

    private static func sandbox(
        _ request: ReadCustodianSandbox, _ server: ChannelServer, _ descriptors: borrowing DescriptorList
    ) throws -> Result<[SandboxFact], KeychainError> {
        try checkIsEmpty(descriptors)
        return .success(server.surroundings.sandbox())
    }

    private static func openChannel(
        _ request: OpenChannel, _ server: ChannelServer, _ descriptors: borrowing DescriptorList
    ) -> Result<Done, KeychainError> {
        server.endIfDisplaced()
        return server.openChannel(descriptors)
    }

    /// Ends the process if another folder replaced its state folder, because its sandbox forbids opening that one.
    func endIfDisplaced() {
        guard !surroundings.isInPlace() else { return }
        surroundings.end("another state folder stands in the place of ours: a new enclaved has to open it")
    }

    private func openChannel(_ descriptors: borrowing DescriptorList) -> Result<Done, KeychainError> {
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
        return .success(Done())
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
