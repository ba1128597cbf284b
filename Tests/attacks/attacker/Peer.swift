import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Glibc
import TestSupport

/// One end of a connection to securityd, which another program may have opened.
struct Peer {
    private static let socketVariable = "ATTACKER_SOCKET"
    private static let nonceVariable = "ATTACKER_NONCE"

    private var channel: FrameChannel?
    private var nonce: [UInt8] = []
    /// The descriptor to which this process writes if the socket is another program's output.
    private var relay: Int32?

    /// The connection that the program before this one left, if any.
    static func inherited() -> Peer {
        var peer = Peer()
        if let socket = getenv(socketVariable).flatMap({ Int32(String(cString: $0)) }) {
            peer.channel = FrameChannel(descriptor: socket)
        }
        let digits = getenv(nonceVariable).map { String(cString: $0) } ?? ""
        peer.nonce = digits.split(separator: ".").compactMap { UInt8($0) }
        return peer
    }

    mutating func connect(_ path: String) throws {
        let socket = chatelaine_unix_socket()
        guard chatelaine_unix_connect(socket, path) == 0 else {
            Processes.say("connect refused", errno)
            exit(0)
        }
        channel = FrameChannel(descriptor: socket)
        channel?.setPatience(seconds: 30)
    }

    // MARK: Handshake

    func hello(version: UInt64 = Handshake.version, descriptors: Int = 1) throws {
        var writer = CBORWriter(capacity: 64)
        writer.writeMap(count: 1)
        writer.write(UInt64(0))
        writer.writeArray(count: 1)
        writer.write(version)
        try send(writer.finishArray(), descriptors)
    }

    /// Returns "ok", or the status that came in place of the nonce.
    mutating func challenge() throws -> String {
        let challenge = try open().withFrame(limit: FrameLimits.handshakeBytes) { frame, _ in
            var reader = CBORReader(frame)
            return try Handshake.readChallenge(&reader)
        }
        switch challenge {
        case .success(let challenge):
            nonce = challenge.nonce
            return "ok"
        case .failure(let error): return "\(error.status.rawValue)"
        }
    }

    func answer(descriptors: Int = 1, isRight: Bool = true) throws {
        var writer = CBORWriter(capacity: 64)
        Handshake.encodeNonce(isRight ? nonce : nonce.map { ~$0 }, to: &writer)
        try send(writer.finishArray(), descriptors)
    }

    func header() throws -> String {
        let header = try open().withFrame(limit: FrameLimits.handshakeBytes) { frame, _ in
            var reader = CBORReader(frame)
            return try ReplyHeader(from: &reader)
        }
        return "\(header.status.rawValue)"
    }

    // MARK: Calls

    /// Returns the status, and the secret in the reply.
    func call(_ name: String, times: Int = 1) throws -> String {
        var writer = CBORWriter(capacity: 1024)
        Self.request(name).encode(to: &writer)
        let frame = writer.finishArray()
        let length = withUnsafeBytes(of: UInt32(frame.count).littleEndian) { Array($0) }
        try send((0..<times).flatMap { _ in length + frame })
        return try open().withFrame(limit: FrameLimits.replyBytes) { frame, _ in
            var reader = CBORReader(frame)
            let header = try ReplyHeader(from: &reader)
            var answer = "\(header.status.rawValue)"
            if name == "find", header.status == .success, !reader.isAtEnd {
                let secret = try FoundItem(from: &reader).secret
                answer += " " + (secret?.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } ?? "-")
            }
            return answer
        }
    }

    /// Returns the status.
    func subscribe() throws -> String {
        var writer = CBORWriter(capacity: 64)
        SubscribeToChanges().encode(to: &writer)
        try send(writer.finishArray(), 0)
        return try header()
    }

    /// Returns the keychain, or "everything", and the number of the notification.
    func notification() throws -> String {
        try open().withFrame(limit: FrameLimits.notificationBytes) { frame, _ in
            var reader = CBORReader(frame)
            let change = try ChangeNotification(from: &reader)
            return "\(change.keychain?.text ?? "everything") \(change.number)"
        }
    }

    private static func request(_ name: String) -> any RequestMessage {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.service] = .text("mail")
        query.attributes[.account] = .text("ada")
        switch name {
        case "add":
            var item = NewItem(itemClass: .genericPassword)
            item.attributes = query.attributes
            item.secret = SecretBytes(Array("s3cret".utf8))
            return AddItem(item)
        case "update":
            var change = ItemChange()
            change.secret = SecretBytes(Array("stolen".utf8))
            return UpdateItems(query, change)
        case "delete":
            query.limit = .all
            return DeleteItems(query)
        default:
            query.returns = .data
            return FindItems(query)
        }
    }

    // MARK: Bytes

    func send(_ frame: [UInt8], _ descriptors: Int) throws {
        let length = withUnsafeBytes(of: UInt32(frame.count).littleEndian) { Array($0) }
        let proofs = (0..<descriptors).map { _ in chatelaine_sealed_memfd("attacker") }
        defer { for proof in proofs { close(proof) } }
        try send(length + frame, proofs)
    }

    func send(_ bytes: [UInt8], _ descriptors: [Int32] = []) throws {
        var rest = bytes[...]
        var descriptors = descriptors
        while !rest.isEmpty {
            let count = try rest.withUnsafeBytes { bytes in
                if let relay { return write(relay, bytes.baseAddress, bytes.count) }
                return DescriptorMessage.send(bytes, descriptors, over: try open().socket)
            }
            guard count > 0 else { throw FrameError.closed }
            rest = rest.dropFirst(count)
            descriptors = []
        }
    }

    /// Returns whether the daemon ends the connection during a wait.
    func isEnded() -> Bool {
        guard let socket = channel?.socket else { return true }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count == 0 || (count < 0 && errno == ECONNRESET) { return true }
            if count < 0 { return false }
        }
    }

    func open() throws -> FrameChannel {
        guard let channel else { throw FrameError.closed }
        return channel
    }

    // MARK: Other programs

    /// Makes this process become `program`, which gets the socket and does `steps`.
    func become(_ program: String, _ steps: [String]) throws -> Never {
        let socket = fcntl(try open().socket, F_DUPFD, 64)
        setenv(Self.socketVariable, "\(socket)", 1)
        setenv(Self.nonceVariable, nonce.map { "\($0)" }.joined(separator: "."), 1)
        Processes.execute(program.split(separator: " ").map { String($0) } + steps)
    }

    /// Starts a child as `program`, which gets the socket and does `steps`, and waits for its end.
    func start(_ program: String, _ steps: [String]) throws {
        let child = Processes.fork()
        if child == 0 { try become(program, steps) }
        Processes.awaitEnd(of: child)
    }

    /// Makes this process become `program`, with a pipe as its input. A child continues here.
    mutating func leave(_ program: String, isRelay: Bool) throws {
        let socket = try open().socket
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw FrameError.system(errno) }
        // By this pipe the child learns that this process has executed the other program.
        var isReady: [Int32] = [-1, -1]
        guard pipe(&isReady) == 0 else { throw FrameError.system(errno) }
        if Processes.fork() != 0 {
            dup2(ends[0], STDIN_FILENO)
            dup2(isRelay ? socket : Glibc.open("/dev/null", O_WRONLY), STDOUT_FILENO)
            for end in ends { close(end) }
            close(isReady[0])
            _ = fcntl(isReady[1], F_SETFD, FD_CLOEXEC)
            Processes.execute(program.split(separator: " ").map { String($0) })
        }
        close(ends[0])
        close(isReady[1])
        var byte: UInt8 = 0
        // The exec closes this process's end of the pipe, and the child notices that.
        _ = read(isReady[0], &byte, 1)
        close(isReady[0])
        if isRelay { relay = ends[1] }
    }
}
