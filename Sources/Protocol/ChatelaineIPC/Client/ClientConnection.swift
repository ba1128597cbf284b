import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// A connection to securityd whose handshake is done; serves one call at a time.
final class ClientConnection {
    private let channel: FrameChannel

    /// Takes over `socket` and does the handshake.
    ///
    /// - Parameter isOurs: whether a data folder is the one of this process.
    /// - Throws: ``FrameError`` when the daemon goes away, ``KeychainError`` when it refuses, ``OtherDataFolder`` where
    ///   it serves another folder.
    init(socket: consuming Descriptor, isOurs: (FileIdentity) -> Bool) throws {
        channel = FrameChannel(descriptor: socket.release())
        // A call may take as long as the daemon needs; a handshake is answered at once or never.
        channel.setPatience()
        let proof = chatelaine_sealed_memfd("chatelaine")
        guard proof >= 0 else { throw FrameError.system(errno) }
        defer { close(proof) }
        try channel.send(descriptors: [proof]) { Handshake.encodeHello(to: &$0) }
        let challenge = try channel.withFrame(limit: FrameLimits.handshakeBytes, waits: false) { frame, _ in
            var reader = CBORReader(frame)
            return try Handshake.readChallenge(&reader)
        }
        let (nonce, dataFolder) = try challenge.map { ($0.nonce, $0.dataFolder) }.get()
        guard isOurs(dataFolder) else { throw OtherDataFolder() }
        try channel.send(descriptors: [proof]) { Handshake.encodeNonce(nonce, to: &$0) }
        let header = try channel.withFrame(limit: FrameLimits.handshakeBytes, waits: false) { frame, _ in
            var reader = CBORReader(frame)
            let header = try ReplyHeader(from: &reader)
            try reader.finish()
            return header
        }
        guard header.status == .success else { throw KeychainError(header.status, header.reason) }
        channel.removePatience()
    }

    var descriptor: Int32 { channel.socket }

    /// Sends one request and reads its reply.
    ///
    /// - Throws: besides the request's errors, ``InterruptedQuestion`` where a person may have been asked.
    func call<Message: RequestMessage>(_ request: Message) throws -> Message.Reply {
        try send(request)
        do { return try readReply() } catch let error as FrameError where request.onlyAsksPerson {
            throw InterruptedQuestion(error: error)
        }
    }

    /// Sends a request that announces passcodes, one for each of its parts, and sends the passcodes once the daemon
    /// accepts it.
    ///
    /// - Throws: besides the request's errors, ``InterruptedPasscode`` where the outcome is unknown.
    func call<Message: PasscodeMessage>(_ request: Message, _ passcodes: [SecretBytes]) throws -> Message.Reply {
        guard passcodes.count == request.parts.count else {
            throw KeychainError(
                .param, "\(request.parts.count) passcodes belong to the call, and \(passcodes.count) came")
        }
        guard !passcodes.isEmpty else { return try call(request) }
        // The files are made first, so that a failure is thrown before the daemon waits for anything.
        let files = try passcodes.map { try PasscodeFile($0, Message.secret) }
        // Keeps the files open until they are sent: optimised code releases an object after its last use.
        defer { withExtendedLifetime(files) {} }
        try send(request)
        let _: NoReply = try readReply()
        do {
            for (part, file) in zip(request.parts, files) {
                try channel.send(descriptors: [file.descriptor]) { part.encodeFrame(to: &$0) }
            }
            return try readReply()
        } catch let error as FrameError {
            throw InterruptedPasscode(error: error)
        }
    }

    /// Lends the file of a keychain, once the daemon accepts the request.
    func call(_ request: LendKeychain, _ file: OpenedKeychainFile) throws {
        try send(request)
        let _: NoReply = try readReply()
        try file.withDescriptors { descriptors in
            for (part, descriptor) in zip(request.parts, descriptors) {
                try channel.send(descriptors: [descriptor]) { part.encodeFrame(to: &$0) }
            }
        }
        let _: NoReply = try readReply()
    }

    private func send(_ request: some RequestMessage) throws {
        try channel.send { writer in
            let start = writer.count
            request.encode(to: &writer)
            // The daemon would close the connection over a longer request, and the caller would not learn the reason.
            guard writer.count - start <= FrameLimits.requestBytes else {
                throw KeychainError(.dataTooLarge, "one call takes \(FrameLimits.requestBytes) bytes at most")
            }
        }
    }

    private func readReply<Reply: ReplyBody>() throws -> Reply {
        var whole = SecretBuffer(capacity: 0)
        while true {
            let reply: Reply? = try channel.withFrame(limit: FrameLimits.replyBytes, mayContinue: true) {
                frame, _ in
                if !channel.isContinued, whole.count == 0 { return try Self.read(frame) }
                // A daemon that sends only empty frames would never end the reply.
                guard !channel.isContinued || !frame.isEmpty else { throw CBORError.truncated }
                whole.append(frame)
                return channel.isContinued ? nil : try whole.withUnsafeBytes { try Self.read($0) }
            }
            if let reply { return reply }
        }
    }

    // MARK: Notifications

    /// Whether a notification has already arrived, at least in part.
    var hasNotification: Bool { channel.hasSurplus }

    /// Waits for the beginning of a notification, for so many milliseconds at the most; -1 for ever. False where none
    /// came.
    func awaitNotification(_ milliseconds: Int32) throws(FrameError) -> Bool {
        while true {
            let result = SocketCalls.poll(descriptor, Int32(POLLIN), milliseconds)
            if result.count >= 0 { return result.count > 0 }
            guard result.error == EINTR else { throw .system(result.error) }
        }
    }

    /// Waits for a notification on a connection that carries nothing else.
    func notification<Notification: CBORValue>(
        limit: Int = FrameLimits.notificationBytes
    ) throws -> Notification {
        try channel.withFrame(limit: limit) { frame, _ in
            var reader = CBORReader(frame)
            let notification = try Notification(from: &reader)
            try reader.finish()
            return notification
        }
    }

    private static func read<Reply: ReplyBody>(_ reply: UnsafeRawBufferPointer) throws -> Reply {
        var reader = CBORReader(reply)
        let header = try ReplyHeader(from: &reader)
        guard header.status == .success else { throw header.failure }
        let body = try Reply(body: &reader)
        try reader.finish()
        return body
    }
}

/// The connection ended after a passcode was sent.
///
/// The passcode is not sent again, since the daemon may have counted the attempt.
struct InterruptedPasscode: Error {
    let error: FrameError
}

/// The connection ended after a request was sent that only asks a person (``RequestMessage/onlyAsksPerson``).
struct InterruptedQuestion: Error {
    let error: FrameError
}

/// The daemon that was reached serves another data folder, and so another keychain.
struct OtherDataFolder: Error {}
