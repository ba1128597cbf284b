import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Glibc
import Synchronization
import Testing

/// Tests of how a client sends passcodes, and of what it never sends twice.
struct PasscodeClientTests {
    private static func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

    /// Takes the frame of one passcode: its part, and the content of the file that came with it.
    private static func take(_ channel: FrameChannel) throws -> (part: PasscodePart, passcode: String) {
        try channel.withFrame(limit: FrameLimits.handshakeBytes) { frame, descriptors in
            let part = try PasscodePart(frame: frame)
            guard descriptors.count == 1, let file = descriptors.duplicate(at: 0),
                chatelaine_is_sealed_memfd(file.number) != 0
            else { throw FakeDaemon.Died() }
            var bytes = [UInt8](repeating: 0, count: 2048)
            let count = pread(file.number, &bytes, bytes.count, 0)
            return (part, String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
        }
    }

    @Test func eachPartHasAFrameAndASealedFile() throws {
        let taken = Mutex<[(part: PasscodePart, passcode: String)]>([])
        let daemon = try FakeDaemon { _, request, channel in
            try FakeDaemon.succeed(channel)
            guard let command = request as? PasscodeCommand else { throw FakeDaemon.Died() }
            for _ in command.parts {
                let next = try Self.take(channel)
                taken.withLock { $0.append(next) }
            }
            try FakeDaemon.succeed(channel) { DeviceReport().encode(to: &$0) }
        }
        let client = daemon.makeClient()
        for command in PasscodeCommand.allCases {
            taken.withLock { $0 = [] }
            let passcodes = command.parts.map { "the \($0) one of \(command)" }
            #expect(try client.call(command, passcodes.map(Self.secret)) == DeviceReport())
            #expect(taken.withLock { $0.map(\.part) } == command.parts)
            #expect(taken.withLock { $0.map(\.passcode) } == passcodes)
        }
        #expect(daemon.now.connections == 1)
    }

    /// A request is repeated if the daemon ends before it takes a passcode.
    ///
    /// Afterwards it is not, since a try may have been counted.
    @Test func whatHasBeenSentIsNotSentAgain() throws {
        let passcodes = Atomic(0)
        let daemon = try FakeDaemon { index, _, channel in
            guard index >= 2 else { throw FakeDaemon.Died() }
            try FakeDaemon.succeed(channel)
            _ = try Self.take(channel)
            passcodes.add(1, ordering: .relaxed)
            throw FakeDaemon.Died()
        }
        #expect(throws: KeychainError(.notAvailable, "")) {
            try daemon.makeClient().call(.unlock, [Self.secret("1234")])
        }
        #expect(daemon.requests.count == 3 && passcodes.load(ordering: .relaxed) == 1)
    }

    /// After a refusal, no passcode is sent, and the connection stays usable.
    @Test func aRefusalTakesNoPasscode() throws {
        let daemon = try FakeDaemon { _, request, channel in
            if request is PasscodeCommand { return try FakeDaemon.fail(channel, .param, "there is no passcode") }
            try FakeDaemon.succeed(channel) { DeviceReport().encode(to: &$0) }
        }
        let client = daemon.makeClient()
        for _ in 0..<3 {
            #expect(throws: KeychainError(.param, "")) { try client.call(.remove, [Self.secret("1234")]) }
            #expect(try client.device(.state) == DeviceReport())
        }
        #expect(daemon.now.connections == 1)
    }

    @Test func whatNoKeychainTakesIsNotSent() throws {
        let daemon = try FakeDaemon()
        let client = daemon.makeClient()
        for passcodes in [
            [], [Self.secret("")], [Self.secret(String(repeating: "a", count: 1025))],
            [Self.secret("a"), Self.secret("b")],
        ] {
            #expect(throws: KeychainError(.param, "")) { try client.call(.unlock, passcodes) }
        }
        #expect(daemon.requests.isEmpty)
    }
}
