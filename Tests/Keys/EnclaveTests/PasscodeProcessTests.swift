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
        _ = try process.ask(OpenStore(store, isEmpty: isEmpty)).get()
        return process
    }

    /// Makes a request with passcodes, each in a pipe of its own.
    static func ask<Request: EnclaveRequest>(
        _ request: Request, _ passcodes: String..., on channel: FrameChannel?
    ) throws -> Request.Reply {
        let passcodes = passcodes.map { Array($0.utf8) }
        let pipes = try passcodes.map { try TestPipe($0) }
        guard let channel else { throw Unexpected() }
        return try withExtendedLifetime(pipes) {
            try EnclavedProcess.ask(request, on: channel, id: 7, descriptors: pipes.map(\.reading)).get()
        }
    }

    @Test func aPasscodeOutlivesTheProcess() throws {
        let context = RowContext.sample(store)
        var wrapped: WrappedRowKey?
        do {
            let process = try start()
            #expect(try Self.ask(SetPasscode(store), "correct horse", on: process.channel).outcome == .done)
            let keys = try process.ask(CreateRowKeys([context], in: store)).get()
            wrapped = keys[0].wrapped(in: context)
            process.closeChannel()
            #expect(process.wait() == 0)
        }
        let row = try #require(wrapped)
        do {
            // The process is killed while it works. The next one is before the first unlock.
            let process = try start()
            #expect(
                try Self.ask(UnlockStore(.agent, in: store), "correct horse", on: process.channel).state == .unlocked)
            kill(process.pid, SIGKILL)
            #expect(process.wait() == -SIGKILL)
        }
        let process = try start()
        func status() throws -> Status {
            let keys = try process.ask(OpenRowKeys([row], in: store)).get()
            return keys[0].status
        }
        #expect(try status() == .interactionNotAllowed)
        let wrong = try Self.ask(UnlockStore(.agent, in: store), "correct hors", on: process.channel)
        #expect(wrong.outcome == .wrong && wrong.failures == 1)
        // The process read the boot identifier before it was sandboxed.
        let tries = TemporaryFolder.read(folder.state + "/keybags/\(TriesFile.name(of: store))")
        let boot = BootClock.system.bootID.array
        #expect(boot != BootClock.unknownBoot.array && tries.indices.contains { tries[$0...].starts(with: boot) })
        #expect(
            try Self.ask(ChangePasscode(.agent, in: store), "correct horse", "battery staple", on: process.channel)
                .outcome == .done)
        #expect(try Self.ask(UnlockStore(.agent, in: store), "battery staple", on: process.channel).outcome == .done)
        #expect(try status() == .success)
        _ = try process.ask(LockStore(store)).get()
        #expect(try status() == .interactionNotAllowed)
        let facts = try process.ask(ReadCustodianSandbox()).get()
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
            guard case .failure(let error) = try process.ask(SetPasscode(store), descriptors: descriptors) else {
                throw Unexpected()
            }
            #expect(error.status == .param)
        }
        let unopened = StoreIdentifier()
        #expect(
            failure { _ = try Self.ask(UnlockStore(.agent, in: unopened), "1234", on: process.channel) }?.status
                == .param)
        #expect(throws: FrameError.self) { try process.ask(ReadPasscodeStatus(.agent, in: store), descriptors: [file]) }
    }

    /// A caller that sends no passcode blocks its own channel for a while, and no other. Of many such callers the last
    /// are refused.
    @Test func silentPipesHoldNobodyUp() throws {
        let process = try start()
        _ = try Self.ask(SetPasscode(store), "correct horse", on: process.channel)
        let program = PasscodeOrigin.program(Bytes16(repeating: 1))
        var pipes: [TestPipe] = []
        defer { withExtendedLifetime(pipes) {} }
        var waiting: [FrameChannel] = []
        for _ in 0..<EnclaveWire.maximumPasscodesOfPrograms {
            let (channel, reply) = try process.openChannel()
            _ = try reply.get()
            let pipe = try TestPipe(Array("x".utf8), isEnded: false)
            pipes.append(pipe)
            try channel.send(descriptors: [pipe.reading]) {
                UnlockStore(program, in: store).encode(id: 1, to: &$0)
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
            failure { _ = try Self.ask(UnlockStore(program, in: store), "correct horse", on: process.channel) }?.status
                == .notAvailable)
        #expect(try Self.ask(UnlockStore(.agent, in: store), "correct horse", on: process.channel).outcome == .done)
        // A program's own password is only kept, and takes no place of a passcode.
        let (reference, password) = (ContextReference(number: 1, principal: Bytes16(repeating: 2)), try TestPipe([1]))
        let credential = SetCredential(reference, isPresent: true, in: store)
        _ = try process.ask(credential, descriptors: [password.reading]).get()
        _ = try process.ask(CreateRowKeys([.sample(store)], in: store)).get()
        // The silent requests are given up in the end, which counts as no try.
        for channel in waiting {
            let reply: Result<PasscodeReport, KeychainError>? = try channel.withFrame(
                limit: EnclaveWire.maximumFrameBytes
            ) { bytes, _ in try EnclaveReplyReader(bytes).read() }
            guard case .failure(let error)? = reply else { throw Unexpected() }
            #expect(error.status == .param)
        }
        #expect(try Self.ask(ReadPasscodeStatus(program, in: store), on: process.channel).failures == 0)
    }
}
