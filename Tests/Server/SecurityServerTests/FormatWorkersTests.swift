import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import FormatProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SecurityServer

/// securityd handles the processes that read and write files of keys.
struct FormatWorkersTests {
    private let file = ExternalFile(SecretBytes([1]))
    private static let content = ExternalContent(format: .x509, kind: .certificate, items: [])

    /// The slot of a program.
    private static func slot(_ program: UInt64) -> ConnectionSlot {
        let slot = ConnectionSlot(socket: -1, pid: Int32(program), uid: 1000, requests: RequestLimiter())
        slot.program = Program(device: 1, inode: program)
        return slot
    }

    private static func answering(_ reply: FormatReply, after milliseconds: UInt32 = 0) -> FakeWorkers {
        FakeWorkers { channel in
            _ = try? channel.withFrame(limit: FormatWire.maximumRequestBytes) { frame, _ in
                try FormatRequest(frame: frame)
            }
            usleep(milliseconds * 1000)
            try? channel.send { reply.encode(to: &$0) }
        }
    }

    @Test func whatIsAnsweredIsHandedOn() throws {
        let starter = Self.answering(.content(Self.content))
        #expect(try FormatWorkers(starter).read(file, for: Self.slot(1)) == Self.content)
        try starter.ended.wait(for: 1)
        #expect(starter.started.value == 1)
        let order = ExternalOrder([], format: .x509)
        #expect(
            try FormatWorkers(Self.answering(.file(SecretBytes([7])))).write(order, for: Self.slot(1))
                == SecretBytes([7]))
        for failure in FormatFailure.allCases {
            #expect(throws: KeychainError(failure.status, "")) {
                try FormatWorkers(Self.answering(.failure(failure))).read(file, for: Self.slot(1))
            }
        }
    }

    /// An answer of another kind than the question comes from a compromised process, and is refused.
    @Test func anAnswerIsToTheQuestion() {
        #expect(throws: KeychainError(.internalComponent, "")) {
            try FormatWorkers(Self.answering(.file(SecretBytes([7])))).read(file, for: Self.slot(1))
        }
        #expect(throws: KeychainError(.internalComponent, "")) {
            try FormatWorkers(Self.answering(.content(Self.content))).write(
                ExternalOrder([], format: .x509), for: Self.slot(1))
        }
    }

    @Test func oneThatSaysNothingIsEnded() throws {
        for life: @Sendable (FrameChannel) -> Void in [
            { _ in }, FakeWorkers.untilTheEnd,
            { channel in
                var bytes: [UInt8] = [1, 0, 0, 0, 0xFF]
                send(channel.socket, &bytes, bytes.count, Int32(MSG_NOSIGNAL))
            },
        ] {
            let starter = FakeWorkers(life)
            #expect(throws: KeychainError(.decode, "")) {
                try FormatWorkers(starter, seconds: 1).read(file, for: Self.slot(1))
            }
            try starter.ended.wait(for: 1)
        }
    }

    @Test func soManyAtATime() throws {
        let starter = Self.answering(.content(Self.content), after: 50)
        // The limits are so long that each is answered on the slowest machine.
        let workers = FormatWorkers(starter, seconds: 120, patience: 120_000)
        let file = file
        for _ in 0..<12 { #expect(Worker.start { _ = try? workers.read(file, for: Self.slot(1)) }) }
        try starter.ended.wait(for: 12)
        #expect(starter.mostAtOnce <= ProcessStarter.mostFormats)
        let isOver = Flag()
        let slow = FakeWorkers { _ in isOver.awaitRaise() }
        let busy = FormatWorkers(slow, seconds: 600, patience: 100)
        for program in 0..<ProcessStarter.mostFormats {
            #expect(Worker.start { _ = try? busy.read(file, for: Self.slot(UInt64(program))) })
        }
        try slow.started.wait(for: ProcessStarter.mostFormats)
        #expect(throws: KeychainError(.notAvailable, "")) { try busy.read(file, for: Self.slot(99)) }
        isOver.raise()
    }

    /// A program with many slow files keeps no other program waiting.
    @Test func onePlaceIsForThoseThatHaveNone() throws {
        let isOver = Flag()
        let slow = FakeWorkers { channel in
            _ = try? channel.withFrame(limit: FormatWire.maximumRequestBytes) { frame, _ in
                try FormatRequest(frame: frame)
            }
            isOver.awaitRaise()
            try? channel.send { FormatReply.content(Self.content).encode(to: &$0) }
        }
        let workers = FormatWorkers(slow, seconds: 600, patience: 120_000)
        let file = file
        for _ in 0..<8 { #expect(Worker.start { _ = try? workers.read(file, for: Self.slot(1)) }) }
        try slow.started.wait(for: ProcessStarter.mostFormats - 1)
        #expect(Worker.start { _ = try? workers.read(file, for: Self.slot(2)) })
        try slow.started.wait(for: ProcessStarter.mostFormats)
        isOver.raise()
        try slow.ended.wait(for: 9)
    }
}
