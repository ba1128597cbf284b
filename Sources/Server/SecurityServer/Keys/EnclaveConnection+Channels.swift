import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc

/// The channels to the custodian: how requests get one, and how a further one comes to be.
extension EnclaveConnection {
    // MARK: A request on a channel

    /// A request that could not be sent, which is no fault of the custodian; the channel goes on.
    struct Unsent: Error {
        let reason: KeychainError
    }

    /// - Returns: the reply, or the custodian's error. A reply of another request is an error too.
    /// - Throws: ``Unsent``, after which the channel can be given back.
    func exchange<Request: EnclaveRequest>(
        _ request: Request, on channel: FrameChannel, descriptors: [Int32] = []
    ) throws -> Result<Request.Reply, KeychainError> {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        do {
            try channel.send(descriptors: descriptors, limit: EnclaveWire.maximumFrameBytes) {
                request.encode(id: id, to: &$0)
            }
        } catch FrameError.refused(let error) {
            throw Unsent(reason: KeychainError(system: error, "a request to the key custodian"))
        } catch FrameError.tooLong(let count) {
            throw Unsent(
                reason: KeychainError(
                    .dataTooLarge,
                    "a request to the key custodian would take \(count) bytes; it takes \(EnclaveWire.maximumFrameBytes) at most"
                ))
        }
        return try channel.withFrame(limit: FrameLimits.requestBytes) { frame, _ in
            let reply = try EnclaveReplyReader(frame)
            guard reply.id == id else { throw FrameError.unexpected }
            return try reply.read() ?? .failure(Self.confused)
        }
    }

    // MARK: Taking and giving

    /// - Parameter store: the store that has to be open for the request.
    func take(for store: StoreIdentifier?) throws(KeychainError) -> Taken {
        // Where there is no further channel, those that exist are enough.
        var most = Self.maximumChannels
        var ends = 0
        let result: Result<Taken, KeychainError> = lockedTellingLosses {
            while true {
                if control != nil, idle.isEmpty, open >= most { return .nothing() }
                if let (channel, generation) = idle.popLast() {
                    return .answer(.success((channel, generation, hasToOpen(store))))
                }
                do throws(KeychainError) {
                    if let channel = try openChannel() {
                        open += 1
                        return .answer(.success((channel, generation, hasToOpen(store))))
                    }
                    ends += 1
                    guard ends < Self.attempts else { return .answer(.failure(doesNotStay)) }
                } catch {
                    guard control != nil, open > 0 else { return .answer(.failure(error)) }
                    most = open
                }
            }
        }
        return try result.get()
    }

    /// An additional channel for one request with a passcode, so that no other request waits for it.
    func takeAlone(for store: StoreIdentifier?) throws(KeychainError) -> Taken {
        let result = lockedTellingLosses { () -> Awaited<Result<Taken, KeychainError>> in
            let taken = Result { () throws(KeychainError) -> Taken in
                for _ in 0..<Self.attempts {
                    if let channel = try openChannel() { return (channel, generation, hasToOpen(store)) }
                }
                throw doesNotStay
            }
            return .answer(taken)
        }
        return try result.get()
    }

    /// A channel for which no other request waits.
    ///
    /// ``giveBackAside(_:)`` keeps it for the next such request.
    func takeAside(for store: StoreIdentifier?) throws(KeychainError) -> Taken {
        let kept: Taken? = monitor.withLock { _ in
            aside.popLast().map { ($0.channel, $0.generation, hasToOpen(store)) }
        }
        if let kept { return kept }
        return try takeAlone(for: store)
    }

    func giveBackAside(_ taken: Taken) {
        monitor.withLock { _ in if taken.generation == generation { aside.append((taken.channel, taken.generation)) } }
    }

    private var doesNotStay: KeychainError {
        KeychainError(.notAvailable, "the key custodian \(launcher.program) does not stay; see the log")
    }

    func give(back taken: Taken) {
        monitor.withLock { _ in if taken.generation == generation { idle.append((taken.channel, taken.generation)) } }
        monitor.signal()
    }

    // MARK: A further channel

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
        let result: Result<Done, KeychainError>
        do {
            result = try exchange(OpenChannel(), on: control, descriptors: [theirs.number])
        } catch let unsent as Unsent {
            throw NoChannel(reason: unsent.reason)
        }
        if case .failure(let error) = result { throw NoChannel(reason: error) }
        return ours
    }

    /// There is no room for a further channel, which is no fault of the custodian.
    struct NoChannel: Error {
        let reason: KeychainError
    }
}
