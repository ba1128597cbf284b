import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Foundation
import ServerIPC
import SystemCalls
import TestSupport

/// A test's own securityd: it shakes hands, records requests, and answers by its script.
final class FakeDaemon: @unchecked Sendable {
    /// Answers the request with the given index; throwing closes the connection without an answer.
    typealias Script = @Sendable (_ index: Int, any RequestMessage, FrameChannel) throws -> Void
    enum Greeting: Sendable {
        case welcome
        case refuse(Status, String)
        case hangUp
        /// Accepts the connection and never sends anything.
        case silence
        /// Serves another data folder than its clients'.
        case otherFolder
    }
    struct Died: Error {}

    let folder: TemporaryFolder
    private let listener: Int32
    private let greeting: Greeting
    private let script: Script
    // `@unchecked Sendable`: `condition` guards the properties below.
    private let condition = NSCondition()
    private var state = State()

    struct State {
        var requests: [any RequestMessage] = []
        /// The number of handshakes so far; `open` is the number of connections that are still open.
        var connections = 0
        var open = 0
        /// The number of calls in progress; `mostBusy` is its maximum.
        var busy = 0
        var mostBusy = 0
        var isReleased = false
    }

    init(greeting: Greeting = .welcome, script: @escaping Script = { _, _, channel in try FakeDaemon.succeed(channel) })
        throws
    {
        folder = try TemporaryFolder()
        self.greeting = greeting
        self.script = script
        mkdir(folder.path + "/run", 0o700)
        mkdir(folder.path + "/data", 0o700)
        listener = chatelaine_unix_socket()
        guard chatelaine_unix_bind(listener, folder.path + "/run/securityd.sock") == 0, listen(listener, 64) == 0 else {
            throw Died()
        }
        let listener = listener
        let isStarted = Worker.start { [weak self] in
            while Self.acceptOne(listener, for: self) {}
            // Only this thread closes it: another test's listener may get the number as soon as it is free.
            close(listener)
        }
        guard isStarted else { throw Died() }
    }

    /// Wakes the accepting thread, which closes the listener.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func acceptOne(_ listener: Int32, for daemon: @autoclosure () -> FakeDaemon?) -> Bool {
        let connection = chatelaine_accept(listener)
        guard connection >= 0 else { return false }
        guard let daemon = daemon() else {
            close(connection)
            return false
        }
        _ = Worker.start { daemon.serve(FrameChannel(descriptor: connection)) }
        return true
    }

    private func serve(_ channel: FrameChannel) {
        guard (try? shakeHands(channel)) != nil else { return }
        change {
            $0.connections += 1
            $0.open += 1
        }
        defer { change { $0.open -= 1 } }
        while true {
            do {
                let request = try channel.withFrame(limit: FrameLimits.requestBytes) { frame, _ in
                    try RequestReader(frame).readAny()
                }
                let index = change { state in
                    state.requests.append(request)
                    state.busy += 1
                    state.mostBusy = max(state.mostBusy, state.busy)
                    return state.requests.count - 1
                }
                defer { change { $0.busy -= 1 } }
                try script(index, request, channel)
            } catch {
                return
            }
        }
    }

    private func shakeHands(_ channel: FrameChannel) throws {
        let isUnderstood = try channel.withFrame(limit: FrameLimits.handshakeBytes) { frame, descriptors in
            var reader = CBORReader(frame)
            return try Handshake.readHello(&reader) && descriptors.count == 1
        }
        switch greeting {
        case .hangUp: throw Died()
        case .silence: _ = wait { $0.isReleased }
        case .refuse(let status, let reason):
            try channel.send { ReplyHeader(status: status, reason: reason).encode(to: &$0) }
            throw Died()
        case .welcome, .otherFolder: break
        }
        let nonce = Array<UInt8>(repeating: 7, count: Handshake.nonceByteCount)
        let isOther = if case .otherFolder = greeting { true } else { false }
        guard let dataFolder = FileIdentity(at: folder.path + (isOther ? "/run" : "/data")) else { throw Died() }
        try channel.send { Handshake.encode(.init(nonce: nonce, dataFolder: dataFolder), to: &$0) }
        let answer = try channel.withFrame(limit: FrameLimits.handshakeBytes) { frame, descriptors in
            var reader = CBORReader(frame)
            return try Handshake.readNonce(&reader) == nonce && descriptors.count == 1
        }
        guard answer, isUnderstood else { throw Died() }
        try channel.send { ReplyHeader().encode(to: &$0) }
    }

    // MARK: What tests ask

    var now: State { change { $0 } }
    var requests: [any RequestMessage] { now.requests }

    @discardableResult
    func change<Result>(_ body: (inout State) -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        defer { condition.broadcast() }
        return body(&state)
    }

    /// Waits until the state is as wanted; false after 30 seconds.
    func wait(until isWanted: (State) -> Bool) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let end = Date(timeIntervalSinceNow: 30)
        while !isWanted(state) { guard condition.wait(until: end) else { return false } }
        return true
    }

    var environment: ProcessEnvironment {
        let home = folder.path
        return ProcessEnvironment(
            uid: geteuid(), home: home, variable: { $0 == "CHATELAINE_HOME" ? home : nil }, isOwnFolder: { _ in true },
            isSystemMode: { false })
    }

    func makeClient(repetitionSeconds: Int = Limits.repetitionSeconds) -> KeychainClient {
        KeychainClient(environment: environment, repetitionSeconds: repetitionSeconds)
    }

    static func succeed(_ channel: FrameChannel, _ values: (inout CBORWriter) -> Void = { _ in }) throws {
        var reply = ReplyStream(to: channel)
        try reply.write { ReplyHeader().encode(to: &$0) }
        try reply.write { values(&$0) }
        try reply.finish()
    }

    static func fail(_ channel: FrameChannel, _ status: Status, _ reason: String) throws {
        var reply = ReplyStream(to: channel)
        try reply.write { ReplyHeader(status: status, reason: reason).encode(to: &$0) }
        try reply.finish()
    }
}
