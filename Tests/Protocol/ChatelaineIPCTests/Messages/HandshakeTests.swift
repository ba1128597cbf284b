import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Foundation
import TestSupport
import Testing

/// Tests of the messages of the handshake, and of the headers of replies.
struct HandshakeTests {
    static func encoded(_ encode: (inout CBORWriter) -> Void) -> [UInt8] {
        var writer = CBORWriter()
        encode(&writer)
        return writer.finishArray()
    }

    static func reading<Value>(_ bytes: [UInt8], _ read: (inout CBORReader) throws -> Value) throws -> Value {
        try bytes.withUnsafeBytes { input in
            var reader = CBORReader(input)
            return try read(&reader)
        }
    }

    @Test func hello() throws {
        let hello = Self.encoded { Handshake.encodeHello(to: &$0) }
        let version = Self.encoded { $0.write(Handshake.version) }
        #expect(hello == [0xA1, 0x00, 0x81] + version)
        #expect(try Self.reading(hello, Handshake.readHello))
        #expect(try Self.reading([0xA1, 0x00, 0x83] + version + [0x06, 0x01], Handshake.readHello))
        #expect(try !Self.reading([0xA1, 0x00, 0x81, 0x01], Handshake.readHello))
        #expect(try !Self.reading([0xA1, 0x00, 0x80], Handshake.readHello))
        let many = [0xA1, 0x00, 0x91] + [UInt8](repeating: 1, count: 17)
        #expect(throws: CBORError.limitExceeded) { try Self.reading(many, Handshake.readHello) }
        for broken: [UInt8] in [[], [0x80], [0xA1, 0x01, 0x81, 0x01], hello + [0], [0xA1, 0x00, 0x01]] {
            #expect(throws: CBORError.self) { try Self.reading(broken, Handshake.readHello) }
        }
    }

    /// `Tests/attacks-test.sh` compiles the attacks, which write their frames in C, with the number in that line.
    ///
    /// With another version they would all be refused, and prove nothing. They write it in one byte, which holds a
    /// number below 24.
    @Test func theAttackersSpeakThisVersion() throws {
        let source = Repository.root.appendingPathComponent(
            "Sources/Protocol/ChatelaineIPC/Messages/Handshake.swift")
        let lines = try String(contentsOf: source, encoding: .utf8).split(separator: "\n")
        #expect(lines.filter { $0 == "    package static let version: UInt64 = \(Handshake.version)" }.count == 1)
        #expect(Handshake.version < 24)
    }

    @Test func nonce() throws {
        let nonce = [UInt8](0..<16)
        let message = Self.encoded { Handshake.encodeNonce(nonce, to: &$0) }
        #expect(try Self.reading(message, Handshake.readNonce) == nonce)
        for count in [0, 15, 17] {
            let wrong = Self.encoded { Handshake.encodeNonce([UInt8](repeating: 0, count: count), to: &$0) }
            #expect(throws: CBORError.outOfRange) { try Self.reading(wrong, Handshake.readNonce) }
        }
        for length in 0..<message.count {
            #expect(throws: CBORError.truncated) {
                try Self.reading(Array(message.prefix(length)), Handshake.readNonce)
            }
        }
        #expect(throws: CBORError.self) { try Self.reading(message + [0], Handshake.readNonce) }
        #expect(throws: CBORError.self) { try Self.reading([0xA0], Handshake.readNonce) }
    }

    @Test func challenge() throws {
        let challenge = Handshake.Challenge(
            nonce: [UInt8](0..<16), dataFolder: FileIdentity(device: .max, inode: 7))
        let message = Self.encoded { Handshake.encode(challenge, to: &$0) }
        #expect(message.prefix(3) == [0xA3, 0x02, 0x50])
        #expect(try Self.reading(message, Handshake.readChallenge).get() == challenge)
        #expect(throws: CBORError.self) { try Self.reading(message, Handshake.readNonce) }
        for length in 0..<message.count {
            #expect(throws: CBORError.self) { try Self.reading(Array(message.prefix(length)), Handshake.readChallenge) }
        }
    }

    @Test func refusal() throws {
        let header = Self.encoded { ReplyHeader(status: .notAvailable, reason: "no").encode(to: &$0) }
        let answer = try Self.reading(header, Handshake.readChallenge)
        #expect(answer == .failure(KeychainError(.notAvailable, "no")))
    }

    @Test(arguments: [
        [0xA0], [0xA1, 0x00, 0x00], [0xA1, 0x01, 0x61, 0x61],
        [0xA2, 0x00, 0x20, 0x02, 0x50] + [UInt8](repeating: 0, count: 16),
        [0xA1, 0x02, 0x50] + [UInt8](repeating: 0, count: 16),
        [0xA1, 0x00, 0x1A, 0xFF, 0xFF, 0xFF, 0xFF],
    ])
    func aChallengeIsANonceOrAFailure(_ message: [UInt8]) {
        #expect(throws: CBORError.self) { try Self.reading(message, Handshake.readChallenge) }
    }

    @Test func headers() throws {
        for (status, reason) in [
            (Status.success, ""), (.param, "what"), (Status(rawValue: .min), "ä"), (.success, "odd"),
        ] {
            let bytes = Self.encoded { ReplyHeader(status: status, reason: reason).encode(to: &$0) }
            let header = try Self.reading(bytes) { try ReplyHeader(from: &$0) }
            #expect(header.status == status && header.reason == reason)
        }
        for failure in AuthenticationFailure.allCases {
            var told = ReplyHeader(status: .authFailed, reason: "no")
            told.authentication = failure
            let header = try Self.reading(Self.encoded { told.encode(to: &$0) }) { try ReplyHeader(from: &$0) }
            #expect((header.failure as? KeychainError)?.authentication == failure)
        }
        // A reply without a status is no success.
        for broken: [UInt8] in [
            [0xA0], [0xA1, 0x01, 0x60], [0xA1, 0x02, 0x00], [0xA2, 0x00, 0x20, 0x03, 0x06],
            [0xA1, 0x00, 0x1A, 0x80, 0, 0, 0],
        ] {
            #expect(throws: CBORError.self) { try Self.reading(broken) { try ReplyHeader(from: &$0) } }
        }
    }
}
