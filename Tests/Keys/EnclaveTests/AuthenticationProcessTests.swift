import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Glibc
import Sealing
import TestSupport
import Testing

@testable import Enclave

/// The real process, with the real Argon2id, gives no keys to a caller that speaks the protocol but has no passcode,
/// such as a compromised securityd.
@Suite struct AuthenticationProcessTests {
    private let folder: TemporaryFolder
    private let store = StoreIdentifier()
    private let one = ContextReference.sample(1)

    init() throws { folder = try TemporaryFolder() }

    private func start() throws -> EnclavedProcess {
        let process = try EnclavedProcess(["--state-folder", folder.state])
        let isEmpty = TemporaryFolder.names(in: folder.state + "/keybags").isEmpty
        _ = try process.ask(OpenStore(store, isEmpty: isEmpty)).get()
        return process
    }

    private func ask<Request: EnclaveRequest>(
        _ request: Request, _ process: EnclavedProcess, _ passwords: [UInt8]...
    ) throws -> Request.Reply {
        let pipes = try passwords.map { try TestPipe($0) }
        return try withExtendedLifetime(pipes) { try process.ask(request, descriptors: pipes.map(\.reading)) }.get()
    }

    private func create(_ row: RowContext, for use: KeyUse?, _ process: EnclavedProcess) throws -> (
        SecretBytes, WrappedRowKey
    ) {
        let keys = try ask(CreateRowKeys([row], for: use, in: store), process)
        return (keys[0].key, keys[0].wrapped(in: row))
    }

    private func open(_ row: WrappedRowKey, for use: KeyUse?, _ process: EnclavedProcess) throws -> SecretBytes {
        let keys = try ask(OpenRowKeys([row], for: use, in: store), process)
        return try keys[0].get()
    }

    private func prove(_ question: AccessQuestion, _ passcode: String, _ process: EnclavedProcess) throws
        -> PasscodeOutcome
    {
        let report = try ask(ProveQuestion(question, .agent, in: store), process, Array(passcode.utf8))
        return report.outcome
    }

    @Test func nothingOutlivesTheProcess() throws {
        let row = RowContext.sample(store, .userPresence)
        var process = try start()
        _ = try ask(SetPasscode(store), process, Array("correct horse".utf8))
        let (key, wrapped) = try create(row, for: nil, process)
        #expect(failure { _ = try open(wrapped, for: one.decrypting, process) }?.cause == .needsPerson)
        #expect(try prove(row.question(in: one), "correct hors", process) == .wrong)
        #expect(try prove(row.question(in: one), "correct horse", process) == .done)
        #expect(try open(wrapped, for: one.decrypting, process) == key)
        kill(process.pid, SIGKILL)
        #expect(process.wait() == -SIGKILL)
        process = try start()
        #expect(failure { _ = try open(wrapped, for: one.decrypting, process) }?.cause == .locked)
        _ = try ask(UnlockStore(.agent, in: store), process, Array("correct horse".utf8))
        // The store is unlocked, but nobody has proved their presence.
        #expect(failure { _ = try open(wrapped, for: one.decrypting, process) }?.cause == .needsPerson)
        let facts = try process.ask(ReadCustodianSandbox()).get()
        #expect(facts.allSatisfy { $0.level != 4 })
        process.closeChannel()
        #expect(process.wait() == 0)
    }

    /// Only the passcode leads to the key of a row with constraints; no other request of the protocol does.
    @Test func whoHasTheChannelHasNoKey() throws {
        let process = try start()
        _ = try ask(SetPasscode(store), process, Array("correct horse".utf8))
        let (_, wrapped) = try create(.sample(store, .devicePasscode), for: nil, process)
        var bare = wrapped
        bare.context.constraints = nil
        var lower = wrapped
        lower.context.constraints = .decrypting(.always)
        for operation in AccessConstraints.Operation.allCases {
            for number in [UInt64(0), 1, .max] {
                let use = KeyUse(.sample(number), for: operation)
                for row in [wrapped, bare, lower] {
                    #expect(failure { _ = try open(row, for: use, process) } != nil)
                }
            }
        }
        for row in [wrapped, bare, lower] {
            let keys = try ask(RewrapRowKeys([row], in: store), process)
            guard case .key(let id, let again) = keys[0] else { continue }
            // The row is only wrapped as it was, with the same constraints.
            #expect(row.context == wrapped.context)
            for context in [wrapped.context, bare.context, lower.context] {
                let row = WrappedRowKey(classKeyID: id, wrapped: again, context: context)
                #expect(failure { _ = try open(row, for: one.decrypting, process) } != nil)
            }
        }
        let question = wrapped.context.question(in: one)
        for _ in 0..<5 { #expect(try prove(question, "wrong", process) == .wrong) }
        #expect(try prove(question, "correct horse", process) == .delayed)
        #expect(failure { _ = try open(wrapped, for: one.decrypting, process) }?.cause == .needsPerson)
    }

    @Test func passwordsOfAProgramComeByDescriptors() throws {
        let process = try start()
        let row = RowContext.sample(store, .always, applicationPassword: true)
        let set = SetCredential(one, isPresent: true, in: store)
        let most = [UInt8](repeating: 7, count: EnclaveWire.maximumPasscodeBytes)
        _ = try ask(set, process, most)
        let (key, wrapped) = try create(row, for: one.encrypting, process)
        #expect(try open(wrapped, for: one.decrypting, process) == key)
        for odd in [[], most + [7]] { #expect(failure { _ = try ask(set, process, odd) }?.status == .param) }
        #expect(failure { _ = try ask(set, process) }?.status == .param)
        #expect(failure { _ = try ask(set, process, [1], [2]) }?.status == .param)
        // The former password stays.
        #expect(try open(wrapped, for: one.decrypting, process) == key)
        _ = try ask(set, process, [1])
        #expect(failure { _ = try open(wrapped, for: one.decrypting, process) }?.status == .authFailed)
        _ = try ask(SetCredential(one, isPresent: false, in: store), process)
        #expect(failure { _ = try open(wrapped, for: one.decrypting, process) }?.cause == .needsPerson)
        // An unexpected descriptor ends the channel.
        #expect(throws: FrameError.self) {
            try ask(SetCredential(one, isPresent: false, in: store), process, [1])
        }
    }
}
