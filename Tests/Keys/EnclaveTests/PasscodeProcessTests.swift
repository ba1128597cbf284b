import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import Glibc
import Sealing
import TestSupport
import Testing

@testable import Enclave

/// Passcodes work in the real, sandboxed process with the real Argon2id.
@Suite struct PasscodeProcessTests {
    private let folder: TemporaryFolder
    private let store = StoreIdentifier()

    init() throws { folder = try TemporaryFolder() }

    private func start() throws -> EnclavedProcess {
        let process = try EnclavedProcess(["--state-folder", folder.state])
        let isEmpty = TemporaryFolder.names(in: folder.state + "/keybags").isEmpty
        guard case .store = try process.ask(.openStore(store, isEmpty: isEmpty)) else { throw Unexpected() }
        return process
    }

    /// Makes a request with passcodes, each in a pipe of its own.
    static func ask(
        _ request: EnclaveRequest, _ passcodes: String..., on channel: FrameChannel?
    ) throws -> PasscodeReport {
        switch try reply(to: request, passcodes.map { Array($0.utf8) }, on: channel) {
        case .passcode(let report): return report
        case .failure(let error): throw error
        default: throw Unexpected()
        }
    }

    static func reply(
        to request: EnclaveRequest, _ passcodes: [[UInt8]], on channel: FrameChannel?
    ) throws -> EnclaveReply {
        let pipes = try passcodes.map { try TestPipe($0) }
        guard let channel else { throw Unexpected() }
        return try withExtendedLifetime(pipes) {
            try EnclavedProcess.ask(request, on: channel, id: 7, descriptors: pipes.map(\.reading))
        }
    }

    @Test func aPasscodeOutlivesTheProcess() throws {
        let context = RowContext.sample(store)
        var wrapped: WrappedRowKey?
        do {
            let process = try start()
            #expect(try Self.ask(.setPasscode(in: store), "correct horse", on: process.channel).outcome == .done)
            guard case .newRowKeys(let keys) = try process.ask(.createRowKeys([context], in: store)) else {
                throw Unexpected()
            }
            wrapped = keys[0].wrapped(in: context)
            process.closeChannel()
            #expect(process.wait() == 0)
        }
        let row = try #require(wrapped)
        do {
            // The process is killed while it works. The next one is before the first unlock.
            let process = try start()
            #expect(try Self.ask(.unlock(.agent, in: store), "correct horse", on: process.channel).state == .unlocked)
            kill(process.pid, SIGKILL)
            #expect(process.wait() == -SIGKILL)
        }
        let process = try start()
        func status() throws -> Status {
            guard case .rowKeys(let keys) = try process.ask(.openRowKeys([row], in: store)) else { throw Unexpected() }
            return keys[0].status
        }
        #expect(try status() == .interactionNotAllowed)
        let wrong = try Self.ask(.unlock(.agent, in: store), "correct hors", on: process.channel)
        #expect(wrong.outcome == .wrong && wrong.failures == 1)
        // The process read the boot identifier before it was sandboxed.
        let tries = TemporaryFolder.read(folder.state + "/keybags/\(TriesFile.name(of: store))")
        let boot = BootClock.system.bootID.array
        #expect(boot != BootClock.unknownBoot.array && tries.indices.contains { tries[$0...].starts(with: boot) })
        #expect(
            try Self.ask(.changePasscode(.agent, in: store), "correct horse", "battery staple", on: process.channel)
                .outcome == .done)
        #expect(try Self.ask(.unlock(.agent, in: store), "battery staple", on: process.channel).outcome == .done)
        #expect(try status() == .success)
        guard case .done = try process.ask(.lock(store)) else { throw Unexpected() }
        #expect(try status() == .interactionNotAllowed)
        guard case .sandbox(let facts) = try process.ask(.sandbox) else { throw Unexpected() }
        // Level 4 means a refusal. None of these requests may need what the sandbox forbids.
        #expect(facts.allSatisfy { $0.level != 4 })
        process.closeChannel()
        #expect(process.wait() == 0)
    }

    @Test func descriptorsBelongToTheirRequests() throws {
        let process = try start()
        let file = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(file) }
        for descriptors in [[], [file], [file, file]] {
            guard case .failure(let error) = try process.ask(.setPasscode(in: store), descriptors: descriptors) else {
                throw Unexpected()
            }
            #expect(error.status == .param)
        }
        let unopened = StoreIdentifier()
        #expect(
            failure { _ = try Self.ask(.unlock(.agent, in: unopened), "1234", on: process.channel) }?.status == .param)
        #expect(throws: FrameError.self) { try process.ask(.passcodeStatus(.agent, in: store), descriptors: [file]) }
    }

    /// A caller that sends no passcode blocks its own channel for a while, and no other. Of many such callers the last
    /// are refused.
    @Test func silentPipesHoldNobodyUp() throws {
        let process = try start()
        _ = try Self.ask(.setPasscode(in: store), "correct horse", on: process.channel)
        let program = PasscodeOrigin.program(Bytes16(repeating: 1))
        var pipes: [TestPipe] = []
        defer { withExtendedLifetime(pipes) {} }
        var waiting: [FrameChannel] = []
        for _ in 0..<EnclaveWire.maximumPasscodesOfPrograms {
            let (channel, reply) = try process.openChannel()
            guard case .done = reply else { throw Unexpected() }
            let pipe = try TestPipe(Array("x".utf8), isEnded: false)
            pipes.append(pipe)
            try channel.send(descriptors: [pipe.reading]) {
                EnclaveEnvelope(id: 1, payload: EnclaveRequest.unlock(program, in: store)).encode(to: &$0)
            }
            waiting.append(channel)
            // A request has its place once its first byte is read, or is refused for good.
            var looks = 0
            while !pipe.isEmpty {
                looks += 1
                try #require(looks < 10_000, "the custodian does not read")
                usleep(1000)
            }
        }
        #expect(
            failure { _ = try Self.ask(.unlock(program, in: store), "correct horse", on: process.channel) }?.status
                == .notAvailable)
        #expect(try Self.ask(.unlock(.agent, in: store), "correct horse", on: process.channel).outcome == .done)
        // A program's own password is only kept, and takes no place of a passcode.
        let (reference, password) = (ContextReference(number: 1, principal: Bytes16(repeating: 2)), try TestPipe([1]))
        let credential = EnclaveRequest.setCredential(reference, isPresent: true, in: store)
        guard case .done = try process.ask(credential, descriptors: [password.reading]) else { throw Unexpected() }
        guard case .newRowKeys = try process.ask(.createRowKeys([.sample(store)], in: store)) else {
            throw Unexpected()
        }
        // The silent requests are given up in the end, which counts as no try.
        for channel in waiting {
            let reply = try channel.withFrame(limit: EnclaveWire.maximumFrameBytes) { bytes, _ in
                try EnclaveEnvelope<EnclaveReply>(decoding: bytes)
            }
            guard case .failure(let error) = reply.payload else { throw Unexpected() }
            #expect(error.status == .param)
        }
        #expect(try Self.ask(.passcodeStatus(program, in: store), on: process.channel).failures == 0)
    }
}
