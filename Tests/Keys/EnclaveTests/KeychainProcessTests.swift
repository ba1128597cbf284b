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

    private func start() throws -> EnclavedProcess { try EnclavedProcess(["--state-folder", folder.state]) }

    @Test func aKeychainOutlivesTheProcess() throws {
        let context = RowContext.sample(store)
        let (header, row): (KeychainHeader, WrappedRowKey)
        do {
            let process = try start()
            header = try #require(try PasscodeProcessTests.ask(CreateKeychain(store), "", on: process.channel).header)
            let keys = try process.ask(CreateRowKeys([context], in: store)).get()
            row = keys[0].wrapped(in: context)
            kill(process.pid, SIGKILL)
            #expect(process.wait() == -SIGKILL)
        }
        let process = try start()
        func isLocked() throws -> Bool {
            guard case .failure(let error) = try process.ask(OpenKeychain(store)) else { return false }
            return error.cause == .locked && error.status == .interactionNotAllowed
        }
        #expect(try isLocked())
        let unlock = UnlockKeychain(header, .agent, in: store)
        #expect(try PasscodeProcessTests.ask(unlock, " ", on: process.channel).outcome == .wrong)
        #expect(try isLocked())
        let long = [UInt8](repeating: 3, count: EnclaveWire.maximumKeychainPasswordBytes)
        let files = [[], long].map { password in
            password.withUnsafeBytes { chatelaine_sealed_memfd_holding("test", $0.baseAddress, $0.count) }
        }
        defer { for file in files { close(file) } }
        let change = ChangeKeychainPassword(header, .agent, in: store)
        let changed = try process.ask(change, descriptors: files).get()
        let new = try #require(changed.header)
        #expect(try !isLocked())
        let keys = try process.ask(OpenRowKeys([row], in: store)).get()
        #expect(changed.outcome == .done && keys.map(\.status) == [.success])
        _ = try process.ask(CloseStore(store)).get()
        let verify = VerifyKeychainPassword(new, .agent, in: store)
        let verified = try process.ask(verify, descriptors: [files[1]]).get()
        #expect(verified.outcome == .done)
        #expect(try isLocked())
        let facts = try process.ask(ReadCustodianSandbox()).get()
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
        _ = try process.ask(OpenStore(keybagStore, isEmpty: true)).get()
        var pipes: [TestPipe] = []
        defer { withExtendedLifetime(pipes) {} }
        var waiting: [FrameChannel] = []
        for _ in 0..<EnclaveWire.maximumKeychainPasswords {
            let (channel, reply) = try process.openChannel()
            _ = try reply.get()
            let pipe = try TestPipe([1], isEnded: false)
            pipes.append(pipe)
            try channel.send(descriptors: [pipe.reading]) {
                CreateKeychain(StoreIdentifier()).encode(id: 1, to: &$0)
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
            failure { _ = try PasscodeProcessTests.ask(CreateKeychain(store), "x", on: process.channel) }?.status
                == .notAvailable)
        #expect(
            try PasscodeProcessTests.ask(SetPasscode(keybagStore), "correct horse", on: process.channel).outcome
                == .done)
        for channel in waiting {
            let reply: Result<KeychainReport, KeychainError>? = try channel.withFrame(
                limit: EnclaveWire.maximumFrameBytes
            ) { bytes, _ in try EnclaveReplyReader(bytes).read() }
            guard case .failure(let error)? = reply else { throw Unexpected() }
            #expect(error.status == .param)
        }
        #expect(try PasscodeProcessTests.ask(CreateKeychain(store), "x", on: process.channel).outcome == .done)
    }
}
