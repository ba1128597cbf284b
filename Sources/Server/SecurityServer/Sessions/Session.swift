import CallerIdentity
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Sealing

/// One connection, from its handshake to its end, on a thread of its own.
///
/// The same process must connect, say hello, return the nonce and send the requests, and must run the same executable
/// throughout. Any other sender, and any exec, ends the connection (behaviour/callers.md, 1 and 2).
final class Session {
    private let channel: FrameChannel
    private let services: Services
    private let slot: ConnectionSlot
    private var process: ProcessHandle?
    private var snapshot: ExecutableSnapshot?
    /// Why the caller cannot be identified; it then has no access group.
    private var unidentified: KeychainError?
    private var caller: Caller?
    /// The resolver that identified the caller.
    ///
    /// After a store is opened anew there is another, which identifies the caller again.
    private var resolver: IdentityResolver?
    /// What was authenticated on this connection.
    ///
    /// No other connection has it.
    private let authentication: ConnectionAuthentication

    init(socket: consuming Descriptor, slot: ConnectionSlot, services: Services) {
        channel = FrameChannel(stranger: socket.release(), closer: services.closer)
        self.slot = slot
        self.services = services
        authentication = ConnectionAuthentication(services.enclave)
    }

    /// Serves the connection until either side ends it.
    func run() {
        defer {
            authentication.end()
            services.changes.list.leave(slot)
            services.keychainEvents.list.leave(slot)
        }
        do {
            try shakeHands()
            try Originator.$slot.withValue(slot) {
                try Originator.$pid.withValue(slot.pid) { while !slot.isListening { try serveRequest() } }
            }
            try notify()
        } catch FrameError.closed {
            // The client closed the connection, which is the ordinary end.
        } catch {
            services.refusals.noteEnd(of: slot, because: error)
        }
    }

    // MARK: Handshake

    private func shakeHands() throws {
        channel.setDeadline(seconds: SessionLimits.handshakeSeconds)
        let isUnderstood = try channel.withFrame(
            limit: FrameLimits.handshakeBytes, waits: false, inspect: { sender, pidfd in try self.meet(sender, pidfd) }
        ) { frame, descriptors in
            guard descriptors.count == 1 else { throw SessionError.noDescriptor }
            var reader = CBORReader(frame)
            return try Handshake.readHello(&reader)
        }
        guard !channel.hasSurplus else { throw FrameError.unexpected }
        guard isUnderstood else {
            let refusal = ReplyHeader(
                status: .notAvailable, reason: "this securityd speaks version \(Handshake.version) of the protocol only"
            )
            try channel.send { refusal.encode(to: &$0) }
            throw SessionError.unknownVersion
        }
        takeSnapshot()

        let nonce = (0..<Handshake.nonceByteCount).map { _ in UInt8.random(in: .min ... .max) }
        let challenge = Handshake.Challenge(nonce: nonce, dataFolder: services.dataFolder)
        try channel.send { Handshake.encode(challenge, to: &$0) }
        let answer = try channel.withFrame(
            limit: FrameLimits.handshakeBytes, waits: false,
            inspect: { sender, pidfd in try self.recognise(sender, pidfd) }
        ) { frame, descriptors in
            guard descriptors.count == 1 else { throw SessionError.noDescriptor }
            var reader = CBORReader(frame)
            return try Handshake.readNonce(&reader)
        }
        guard answer == nonce, !channel.hasSurplus else { throw SessionError.wrongNonce }
        try channel.refuseDescriptors()
        guard snapshot?.isStillRunning() ?? true else { throw SessionError.executableChanged }
        try channel.send { ReplyHeader().encode(to: &$0) }
        channel.setDeadline(seconds: nil)
    }

    /// Takes the sender of the first piece for the caller.
    ///
    /// Every other piece must come from the same process.
    private func meet(_ sender: MessageSender?, _ pidfd: Int32) throws {
        guard process == nil else { return try recognise(sender, pidfd) }
        guard let sender else { throw SessionError.unknownSender }
        guard sender.uid == services.user else { throw SessionError.otherUser }
        let own = pidfd >= 0 ? fcntl(pidfd, F_DUPFD_CLOEXEC, 0) : -1
        do throws(Unidentified) {
            process = try ProcessHandle(
                adopting: own, pid: sender.pid, uid: sender.uid, gid: sender.gid,
                procReader: services.procReader(slot))
        } catch {
            guard error.reason != .ended else { throw FrameError.closed }
            throw error
        }
    }

    private func recognise(_ sender: MessageSender?, _ pidfd: Int32) throws {
        guard let sender, let process, process.isSameProcess(pidfd: pidfd, pid: sender.pid) else {
            throw SessionError.otherProcess
        }
        // A process may become another user without executing anything.
        guard sender.uid == process.uid else { throw SessionError.otherUser }
    }

    private func takeSnapshot() {
        guard let process else { return }
        do throws(Unidentified) {
            let snapshot = try ExecutableSnapshot(of: process)
            self.snapshot = snapshot
            slot.program = Program(device: snapshot.device, inode: snapshot.inode)
        } catch { unidentified = error.error }
    }

    // MARK: Requests

    private func serveRequest() throws {
        var share: Budget.Share?
        defer { if let share { services.intake.give(back: share) } }
        slot.rest()
        channel.setPatience()
        let unfinished = try channel.withFrame(
            limit: FrameLimits.requestBytes,
            reserve: { length in
                guard length > SessionLimits.smallFrame else { return }
                self.slot.work()
                share = try self.services.intake.take(length, for: self.slot)
                // Other requests wait for the memory that this one holds, so it has to send soon.
                self.channel.setPatience(seconds: SessionLimits.largeFrameSeconds)
            },
            inspect: { sender, pidfd in try self.recognise(sender, pidfd) }
        ) { frame, descriptors in
            slot.work()
            if share != nil { channel.setPatience() }
            guard descriptors.count == 0, !channel.hasSurplus else { throw FrameError.unexpected }
            guard snapshot?.isStillRunning() ?? true else { throw SessionError.executableChanged }
            // The client makes another connection, and begins as it did with this one.
            guard !authentication.isOutdated else { throw FrameError.closed }
            var handler = RequestHandler(
                RequestContext(
                    services: services, slot: slot, channel: channel, frame: frame, authentication: authentication
                ) {
                    () throws(KeychainError) in try self.identify()
                })
            return try handler.begin(RequestReader(frame))
        }
        // Only where there may be a passcode, and so a lock. The caller has its answer already, or waits.
        if services.enclave.hadPasscode { ChatelaineMemory.wipeStack() }
        guard let unfinished else { return }
        // The frame is wiped, so its memory is free for others.
        if let taken = share { services.intake.give(back: taken) }
        share = nil
        try unfinished.finish(
            with: Peer(
                recheck: { [self] in
                    guard snapshot?.isStillRunning() ?? true else { throw SessionError.executableChanged }
                }, inspect: { [self] sender, pidfd in try recognise(sender, pidfd) },
                end: process?.endDescriptor ?? -1,
                terminal: { [self] in process?.terminal },
                parent: { [self] in process?.parentProgram },
                preloading: { [self] in snapshot?.preloading() ?? .unknown },
                decide: { [self] in
                    if let snapshot { services.changeAnswers.set($0, for: snapshot) }
                    // The caller is identified again, from the file on.
                    caller = nil
                }))
        if services.enclave.hadPasscode { ChatelaineMemory.wipeStack() }
    }

    // MARK: Notifications

    /// Sends notifications of changes until either side ends the connection, which carries nothing else any more.
    private func notify() throws {
        // A client that does not read blocks only its own thread.
        channel.removePatience()
        if let subscription = services.keychainEvents.list.member(of: slot) { try deliver(subscription.queue) }
        guard let subscription = services.changes.list.member(of: slot) else { return }
        try deliver(subscription.queue) {
            guard Set(try identify().admitted().groups) == subscription.groups else { throw SessionError.otherGroups }
        }
    }

    private func deliver(
        _ queue: NotificationQueue<some PendingNotifications & Sendable>, recheck: () throws -> Void = {}
    ) throws -> Never {
        try queue.deliver(over: channel, untilEndOf: process?.endDescriptor ?? -1) {
            guard snapshot?.isStillRunning() ?? true else { throw SessionError.executableChanged }
            try recheck()
        }
    }

    /// The caller, identified as of now.
    private func identify() throws(KeychainError) -> Caller {
        if let unidentified { throw unidentified }
        guard let snapshot else { throw KeychainError(.missingEntitlement, "the calling program is not known") }
        let resolver = try services.resolver()
        do throws(Unidentified) {
            guard let caller, self.resolver === resolver else {
                self.resolver = resolver
                return remember(try resolver.identify(snapshot))
            }
            guard resolver.needsRefreshing(caller.identity) else {
                // A person may have answered about the process on another connection.
                return caller.change == nil ? caller : remember(caller.identity)
            }
            return remember(try resolver.refreshed(caller.identity, snapshot))
        } catch {
            throw error.error
        }
    }

    private func remember(_ identity: Identity) -> Caller {
        var change: CallerChange?
        if let snapshot, let found = resolver?.change(of: identity, snapshot) {
            change = CallerChange(change: found) { snapshot.isStillRunning() }
        }
        let caller = AccessPolicy.caller(
            identity, inKeychainOf: services.user, change: change,
            answer: change == nil ? nil : snapshot.flatMap { services.changeAnswers.answer(for: $0) })
        self.caller = caller
        if caller.refusal == nil, identity.state != .changed {
            services.refusals.settle(identity.executablePath, of: identity.principal.user)
        }
        return caller
    }
}
