import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Glibc
import Sealing
import TestSupport
import Testing

@testable import Enclave

/// File keychains work in the real, sandboxed process with the real Argon2id.
@Suite struct KeychainProcessTests {
    private let folder: TemporaryFolder
    private let store = StoreIdentifier()

    init() throws { folder = try TemporaryFolder() }

    static func ask(
        _ request: EnclaveRequest, _ passwords: String..., on channel: FrameChannel?
    ) throws -> KeychainReport {
        switch try PasscodeProcessTests.reply(to: request, passwords.map { Array($0.utf8) }, on: channel) {
        case .keychain(let report): return report
        case .failure(let error): throw error
        default: throw Unexpected()
        }
    }

    private func start() throws -> EnclavedProcess { try EnclavedProcess(["--state-folder", folder.state]) }

    @Test func aKeychainOutlivesTheProcess() throws {
        let context = RowContext.sample(store)
        let (header, row): (KeychainHeader, WrappedRowKey)
        do {
            let process = try start()
            header = try #require(try Self.ask(.createKeychain(in: store), "", on: process.channel).header)
            guard case .newRowKeys(let keys) = try process.ask(.createRowKeys([context], in: store)) else {
                throw Unexpected()
            }
            row = keys[0].wrapped(in: context)
            kill(process.pid, SIGKILL)
            #expect(process.wait() == -SIGKILL)
        }
        let process = try start()
        func isLocked() throws -> Bool {
            guard case .failure(let error) = try process.ask(.openKeychain(store)) else { return false }
            return error.cause == .locked && error.status == .interactionNotAllowed
        }
        #expect(try isLocked())
        let unlock = EnclaveRequest.unlockKeychain(header, .agent, in: store)
        #expect(try Self.ask(unlock, " ", on: process.channel).outcome == .wrong)
        #expect(try isLocked())
        let long = [UInt8](repeating: 3, count: EnclaveWire.maximumKeychainPasswordBytes)
        let files = [[], long].map { password in
            password.withUnsafeBytes { chatelaine_sealed_memfd_holding("test", $0.baseAddress, $0.count) }
        }
        defer { for file in files { close(file) } }
        let change = EnclaveRequest.changeKeychainPassword(header, .agent, in: store)
        guard case .keychain(let changed) = try process.ask(change, descriptors: files),
            let new = changed.header, !(try isLocked()),
            case .rowKeys(let keys) = try process.ask(.openRowKeys([row], in: store))
        else { throw Unexpected() }
        #expect(changed.outcome == .done && keys.map(\.status) == [.success])
        guard case .done = try process.ask(.closeStore(store)),
            case .keychain(let verified) = try process.ask(
                .verifyKeychainPassword(new, .agent, in: store), descriptors: [files[1]])
        else { throw Unexpected() }
        #expect(verified.outcome == .done)
        #expect(try isLocked())
        guard case .sandbox(let facts) = try process.ask(.sandbox) else { throw Unexpected() }
        // Level 4 means a refusal. None of these requests may need what the sandbox forbids.
        #expect(facts.allSatisfy { $0.level != 4 })
        // The process needed no file.
        #expect(TemporaryFolder.names(in: folder.state) == [])
        process.closeChannel()
        #expect(process.wait() == 0)
    }

    /// A caller that announces keychain passwords and sends none takes no place of a passcode, and is given up.
    @Test func silentPasswordsHoldNoPasscodeUp() throws {
        let process = try start()
        let keybagStore = StoreIdentifier()
        guard case .store = try process.ask(.openStore(keybagStore, isEmpty: true)) else { throw Unexpected() }
        var pipes: [TestPipe] = []
        defer { withExtendedLifetime(pipes) {} }
        var waiting: [FrameChannel] = []
        for _ in 0..<EnclaveWire.maximumKeychainPasswords {
            let (channel, reply) = try process.openChannel()
            guard case .done = reply else { throw Unexpected() }
            let pipe = try TestPipe([1], isEnded: false)
            pipes.append(pipe)
            try channel.send(descriptors: [pipe.reading]) {
                EnclaveEnvelope(id: 1, payload: EnclaveRequest.createKeychain(in: StoreIdentifier())).encode(to: &$0)
            }
            waiting.append(channel)
            var looks = 0
            while !pipe.isEmpty {
                looks += 1
                try #require(looks < 10_000, "the custodian does not read")
                usleep(1000)
            }
        }
        #expect(
            failure { _ = try Self.ask(.createKeychain(in: store), "x", on: process.channel) }?.status == .notAvailable)
        #expect(
            try PasscodeProcessTests.ask(.setPasscode(in: keybagStore), "correct horse", on: process.channel).outcome
                == .done)
        for channel in waiting {
            let reply = try channel.withFrame(limit: EnclaveWire.maximumFrameBytes) { bytes, _ in
                try EnclaveEnvelope<EnclaveReply>(decoding: bytes)
            }
            guard case .failure(let error) = reply.payload else { throw Unexpected() }
            #expect(error.status == .param)
        }
        #expect(try Self.ask(.createKeychain(in: store), "x", on: process.channel).outcome == .done)
    }
}
