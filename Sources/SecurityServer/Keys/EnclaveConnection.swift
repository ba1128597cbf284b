import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import Synchronization
import SystemCalls

/// The way to the key custodian, which a ``Spawner`` starts: a few channels to it with one request at a time on each.
///
/// A channel per waiting thread costs one round trip and no hop between threads. When the custodian dies, it is started
/// again and its store opened again, and whoever was waiting asks once more.
// `@unchecked Sendable`: everything that changes is touched under `monitor`; a channel belongs to whoever took it.
final class EnclaveConnection: @unchecked Sendable {
    /// Threads that wait for the custodian at one time; on few cores more would only wait elsewhere.
    private static let maximumChannels = 8
    /// Starts of a custodian for one request.
    private static let attempts = 3

    private let spawner: Spawner
    private let log: Log
    private let monitor = Monitor()
    private var control: FrameChannel?
    private var idle: [(channel: FrameChannel, generation: Int)] = []
    private var open = 0
    private var generation = 0
    private var child: Int32 = 0
    private var openedStore: StoreIdentifier?
    private let lastID = Atomic<UInt64>(0)

    init(spawner: Spawner, log: Log) {
        self.spawner = spawner
        self.log = log
    }

    var pid: Int32 { monitor.locked { child } }

    /// Opens a store's keybag, and remembers to do so again after a restart of the custodian.
    func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys {
        guard case .store(let keys) = try call(.openStore(store, isEmpty: isEmpty)) else { throw Self.confused }
        monitor.locked {
            openedStore = store
            // Channels that are open know of no store; those that are busy are dropped when they come back.
            generation += 1
            idle = []
            open = 0
        }
        return keys
    }

    /// Puts one request; throws what the custodian answers, `errSecNotAvailable` where there is none.
    func call(_ request: EnclaveRequest) throws(KeychainError) -> EnclaveReply {
        for attempt in 1... {
            let taken = try take()
            do {
                let reply = try exchange(request, on: taken.channel)
                give(back: taken)
                if case .failure(let error) = reply { throw error }
                return reply
            } catch let error as KeychainError {
                throw error
            } catch {
                lose(taken, because: error)
                guard attempt < Self.attempts else { break }
            }
        }
        throw KeychainError(.notAvailable, "the key custodian \(spawner.program) keeps going away; see the log")
    }

    static var confused: KeychainError {
        KeychainError(.internalComponent, "the key custodian answered beside the point")
    }

    private func exchange(
        _ request: EnclaveRequest, on channel: FrameChannel, descriptors: [Int32] = []
    ) throws -> EnclaveReply {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        try channel.send(descriptors: descriptors) { EnclaveEnvelope(id: id, payload: request).encode(to: &$0) }
        let reply = try channel.withFrame(limit: FrameLimits.requestBytes) { frame, _ in
            try EnclaveEnvelope<EnclaveReply>(decoding: frame)
        }
        guard reply.id == id else { throw FrameError.unexpected }
        return reply.payload
    }

    private func take() throws(KeychainError) -> (channel: FrameChannel, generation: Int) {
        let result: Result<(channel: FrameChannel, generation: Int), KeychainError> = monitor.locked {
            Result { () throws(KeychainError) in
                while control != nil, idle.isEmpty, open == Self.maximumChannels { monitor.wait() }
                if let channel = idle.popLast() { return channel }
                for _ in 0..<Self.attempts {
                    if let channel = try openChannel() { return (channel, generation) }
                }
                throw KeychainError(.notAvailable, "the key custodian \(spawner.program) does not stay; see the log")
            }
        }
        return try result.get()
    }

    private func give(back taken: (channel: FrameChannel, generation: Int)) {
        monitor.locked { if taken.generation == generation { idle.append(taken) } }
        monitor.signal()
    }

    /// Ends the custodian that a channel led to, unless another thread has done so already.
    private func lose(_ taken: (channel: FrameChannel, generation: Int), because error: any Error) {
        log.error("the key custodian went away", ["error": "\(error)"])
        monitor.locked { if taken.generation == generation { endChild() } }
        for _ in 0..<Self.maximumChannels { monitor.signal() }
    }

    /// Forgets the custodian and its channels; under the lock.
    private func endChild() {
        generation += 1
        control = nil
        idle = []
        open = 0
        if child > 0 { spawner.end() }
        child = 0
    }

    /// Starts the custodian; under the lock.
    private func startChild() throws {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw KeychainError(system: errno, "a socket pair") }
        let ours = FrameChannel(descriptor: pair[0])
        let theirs = Descriptor(pair[1])
        child = try spawner.start(channel: theirs.number)
        control = ours
    }

    /// Asks the custodian, which is started where there is none, to serve one more channel; nil where it died just then.
    private func openChannel() throws(KeychainError) -> FrameChannel? {
        do {
            if control == nil { try startChild() }
            guard let control else { return nil }
            let channel = try passChannel(over: control)
            if let openedStore {
                let reply = try exchange(.openStore(openedStore, isEmpty: false), on: channel)
                if case .failure(let error) = reply { throw error }
            }
            open += 1
            return channel
        } catch let error as KeychainError {
            endChild()
            throw error
        } catch {
            log.error("the key custodian does not answer", ["error": "\(error)"])
            endChild()
            return nil
        }
    }

    /// A channel whose other end the custodian has, and nobody else.
    ///
    /// The first answer on it is waited for after this: were that end open here as well, the channel would not tell that the
    /// custodian is gone.
    private func passChannel(over control: FrameChannel) throws -> FrameChannel {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw KeychainError(system: errno, "a socket pair") }
        let ours = FrameChannel(descriptor: pair[0])
        let theirs = Descriptor(pair[1])
        guard case .done = try exchange(.openChannel, on: control, descriptors: [theirs.number]) else {
            throw Self.confused
        }
        return ours
    }
}
