import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import Synchronization
import TestSupport
import Testing

@testable import Enclave
@testable import KeyWorker

/// A worker that calculates in this process, or gives the answer of a test.
struct FakeWorker: KeyCalculating {
    var answer: @Sendable (KeyWorkerRequest) throws(KeychainError) -> KeyWorkerReply = {
        request throws(KeychainError) in
        var recent = RecentKey()
        return KeyWork.answer(request, &recent)
    }

    var forgotten = Counter()
    /// Runs before somebody reads the count of lockings.
    var beforeCount: @Sendable () -> Void = {}

    func calculate(_ request: KeyWorkerRequest, since _: Int) throws(KeychainError) -> KeyWorkerReply {
        try answer(request)
    }

    var lockings: Int {
        beforeCount()
        return forgotten.value
    }
    func forgetKeys() { forgotten.next() }
}

/// An action that runs while a worker calculates.
private final class Locking: Sendable {
    let body = Mutex<(@Sendable () -> Void)?>(nil)

    func run() { body.withLock { $0 }?() }
}

/// The custodian uses private keys of rows as permitted, and gives them to nobody.
@Suite struct PrivateKeyTests {
    private let folder: TemporaryFolder
    private let enclave: Enclave
    private let store = StoreIdentifier()
    private let worker = FakeWorker()

    init() throws {
        folder = try TemporaryFolder()
        var settings = EnclaveSettings()
        settings.keyWorkers = worker
        enclave = Enclave(stateFolder: folder.path, settings: settings)
        _ = try enclave.openStore(store, isEmpty: true)
    }

    @Test func whatIsLockedIsForgottenByWorkers() throws {
        let keychain = StoreIdentifier()
        _ = try enclave.createKeychain(keychain)
        for (count, store) in [keychain, store].enumerated() {
            #expect(worker.lockings == count)
            _ = enclave.answer(CloseStore(store))
        }
        #expect(worker.lockings == 2)
    }

    /// A keychain that is locked once a request has begun is noticed, so that no worker keeps its key.
    @Test func aLockAfterTheCountWasReadIsNoticed() throws {
        let keychain = StoreIdentifier()
        let box = Locking()
        let used = Counter()
        var settings = EnclaveSettings()
        settings.keyWorkers = FakeWorker(
            answer: { request throws(KeychainError) in
                used.next()
                var recent = RecentKey()
                return KeyWork.answer(request, &recent)
            }, beforeCount: { box.run() })
        let enclave = Enclave(stateFolder: folder.path + "-counted", settings: settings)
        _ = try enclave.createKeychain(keychain)
        let key = try made(.generated(.ec, bits: 256), at: row(.useOnly, of: keychain), in: enclave).key
        let before = used.value
        box.body.withLock { $0 = { _ = enclave.answer(CloseStore(keychain)) } }
        #expect(throws: KeychainError.self) { try self.used(key, Self.signing, in: enclave) }
        #expect(used.value == before)
    }

    /// A search for primes may take minutes.
    ///
    /// A lock does not wait for it, and no key is made for a locked store.
    @Test func aStoreIsLockedWhileAKeyIsMade() throws {
        let keychain = StoreIdentifier()
        _ = try enclave.createKeychain(keychain)
        var settings = EnclaveSettings()
        let locking = Locking()
        settings.keyWorkers = FakeWorker { request throws(KeychainError) in
            locking.run()
            var recent = RecentKey()
            return KeyWork.answer(request, &recent)
        }
        let other = Enclave(stateFolder: try TemporaryFolder().path, settings: settings)
        _ = try other.openStore(store, isEmpty: true)
        let header = try other.createKeychain(keychain)
        locking.body.withLock { $0 = { _ = other.answer(CloseStore(keychain)) } }
        let row = row(.useOnly, of: keychain)
        let reply = other.answer(MakeSealedKey(.generated(.ec, bits: 256), at: row, for: nil, in: keychain))
        guard case .failure(let error) = reply else {
            Issue.record("a key was made for a keychain that was locked: \(header)")
            return
        }
        #expect(error.cause == .locked)
    }

    /// Key content that libcrypto refuses was sealed as it is. It is not damage, which would set the row aside.
    @Test func whatCannotBeCalculatedWithIsNotDamaged() {
        func failure(_ content: [UInt8]) -> KeychainError? {
            do throws(KeychainError) { _ = try SealedKeyContent(of: SecretBytes(content)) } catch { return error }
            return nil
        }
        let refused = failure([KeyKind.ec.rawValue] + [UInt8](repeating: 4, count: 97))
        #expect(refused?.status == .notAvailable && refused?.cause != .unsealable)
        for content in [[], [0], [99, 1, 2]] as [[UInt8]] { #expect(failure(content)?.cause == .unsealable) }
    }

    // MARK: In a file keychain

    /// The same holds in a file keychain.
    ///
    /// No row key is given out, a key is bound to its use and place, and a locked keychain does nothing.
    @Test(arguments: [KeyCustody.useOnly, .exportable])
    func aKeyOfAFileKeychainStaysInside(_ use: KeyCustody) throws {
        let (first, second) = (StoreIdentifier(), StoreIdentifier())
        let header = try enclave.createKeychain(first)
        _ = try enclave.createKeychain(second)
        let (key, _) = try made(.generated(.ec, bits: 256), at: row(use, of: first))
        #expect(try used(key, Self.signing).count > 60)
        #expect(failure { _ = try enclave.createRowKeys([row(use, of: first)], in: first) }?.status == .param)
        #expect(try enclave.openRowKeys([key.rowKey], in: first)[0].status == .param)
        var plain = key.rowKey
        plain.context.keyCustody = nil
        #expect(try enclave.openRowKeys([plain], in: first)[0].status == .decode)
        if use == .useOnly {
            #expect(failure { _ = try used(key, .export) }?.status == .unimplemented)
            var renamed = key
            renamed.rowKey.context.keyCustody = .exportable
            #expect(failure { _ = try used(renamed, .export) }?.cause == .unsealable)
        } else {
            #expect(try used(key, .export).count == 97)
        }
        // The key is moved to another row, another version of it, or another file.
        let changes: [(inout RowContext) -> Void] = [
            { $0.row = ItemIdentifier() }, { $0.version += 1 }, { $0.store = second },
        ]
        for change in changes {
            var moved = key
            change(&moved.rowKey.context)
            #expect(failure { _ = try used(moved, Self.signing) }?.cause == .unsealable)
        }
        #expect(failure { _ = try made(.generated(.ec, bits: 256), at: row(.enclave, of: first)) }?.status == .param)
        try enclave.closeStore(first)
        #expect(failure { _ = try used(key, Self.signing) }?.cause == .storeNotOpen)
        #expect(try enclave.unlock(header).outcome == .done)
        #expect(try used(key, Self.signing).count > 60)
    }

    private func row(_ use: KeyCustody?, of store: StoreIdentifier) -> RowContext {
        var context = RowContext.sample(store)
        (context.itemClass, context.keyCustody) = (.key, use)
        return context
    }

    private func row(_ use: KeyCustody?) -> RowContext {
        var context = RowContext.sample(store)
        (context.itemClass, context.keyCustody) = (.key, use)
        return context
    }

    private func made(
        _ source: KeySource, at row: RowContext, in enclave: Enclave? = nil
    ) throws -> (key: SealedKey, content: KeyContent) {
        let made = try (enclave ?? self.enclave).answer(MakeSealedKey(source, at: row, in: row.store)).get()
        let wrapped = WrappedRowKey(classKeyID: made.classKeyID, wrapped: made.wrapped, context: row)
        return (SealedKey(rowKey: wrapped, sealed: made.sealed), made.content)
    }

    private func used(_ key: SealedKey, _ task: KeyTask, in enclave: Enclave? = nil) throws -> SecretBytes {
        try (enclave ?? self.enclave).answer(UseSealedKey(key, task, in: key.rowKey.context.store)).get().bytes
    }

    private static let digest = [UInt8](repeating: 7, count: 32)
    private static let signing = KeyTask.sign(algorithm: "algid:sign:ECDSA:digest-X962", digest)

    @Test(arguments: KeyCustody.allCases.filter { $0 != .symmetric })
    func aKeyIsMadeAndSigns(_ use: KeyCustody) throws {
        let (key, content) = try made(.generated(.ec, bits: 256), at: row(use))
        let publicKey = try CryptographicKey(.ec, publicRepresentation: content.publicBytes)
        let signature = try used(key, Self.signing)
        let algorithm = try #require(KeyAlgorithm(name: "algid:sign:ECDSA:digest-X962"))
        try signature.withUnsafeBytes { signature in
            try Self.digest.withUnsafeBytes { try publicKey.verify(signature, of: $0, by: algorithm) }
        }
        #expect(content.bits == 256 && content.label.count == KeyContent.labelBytes)
        if use == .exportable {
            #expect(try used(key, .export).count == 97)
        } else {
            #expect(failure { _ = try used(key, .export) }?.status == .unimplemented)
        }
    }

    /// Neither a new row key nor an existing one is given out, whatever else the place says.
    @Test(arguments: KeyCustody.allCases.filter { $0 != .symmetric })
    func theRowKeyIsGivenToNobody(_ use: KeyCustody) throws {
        let (key, _) = try made(.generated(.ec, bits: 256), at: row(use))
        #expect(failure { _ = try enclave.createRowKeys([row(use)]) }?.status == .param)
        #expect(try enclave.openRowKeys([key.rowKey])[0].status == .param)
        // Another use is another place, whose key this is not.
        var other = key.rowKey
        other.context.keyCustody = nil
        #expect(try enclave.openRowKeys([other])[0].status == .decode)
        for wrong in KeyCustody.allCases where wrong != use {
            var renamed = key
            renamed.rowKey.context.keyCustody = wrong
            let task = wrong == .symmetric ? KeyTask.unwrap([1]) : Self.signing
            #expect(failure { _ = try used(renamed, task) }?.cause == .unsealable)
        }
        // The key is wrapped anew and stays inside.
        let again = try enclave.answer(RewrapRowKeys([key.rowKey], in: store)).get()
        guard case .key(let id, let wrapped)? = again.first else { throw Unexpected() }
        let rewrapped = WrappedRowKey(classKeyID: id, wrapped: wrapped, context: key.rowKey.context)
        #expect(try used(SealedKey(rowKey: rewrapped, sealed: key.sealed), Self.signing).count > 60)
    }

    @Test(arguments: KeyCustody.allCases.filter { $0 != .symmetric })
    func aKeyMovesAsItIs(_ use: KeyCustody) throws {
        let (key, content) = try made(.generated(.ec, bits: 256), at: row(use))
        var place = key.rowKey.context
        place.version += 1
        place.accessibility = .afterFirstUnlock
        let (moved, same) = try made(.kept(key), at: place)
        #expect(same == content)
        #expect(try used(moved, Self.signing).count > 60)
        #expect(
            failure { _ = try used(SealedKey(rowKey: moved.rowKey, sealed: key.sealed), Self.signing) }?.cause
                == .unsealable)
        // An exportable key may become one that never leaves.
        for other in KeyCustody.allCases where other != use && (use, other) != (.exportable, .useOnly) {
            place.keyCustody = other
            #expect(failure { _ = try made(.kept(key), at: place) }?.status == .param)
        }
        #expect(failure { _ = try made(.kept(key), at: row(nil)) }?.status == .param)
    }

    /// It stays so: neither a place that says otherwise nor another move gives its bytes (behaviour/keys.md, 15).
    @Test func anExportableKeyMayStayInsideFromNowOn() throws {
        let (key, _) = try made(.generated(.ec, bits: 256), at: row(.exportable))
        var place = key.rowKey.context
        (place.version, place.keyCustody) = (place.version + 1, .useOnly)
        let (kept, _) = try made(.kept(key), at: place)
        #expect(try used(kept, Self.signing).count > 60)
        #expect(failure { _ = try used(kept, .export) }?.status == .unimplemented)
        var renamed = kept
        renamed.rowKey.context.keyCustody = .exportable
        #expect(failure { _ = try used(renamed, .export) }?.cause == .unsealable)
        (place.version, place.keyCustody) = (place.version + 1, .exportable)
        #expect(failure { _ = try made(.kept(kept), at: place) }?.status == .param)
    }

    @Test func whatIsBroughtIsRead() throws {
        let known = try CryptographicKey.generate(.rsa, bits: 1024)
        let bytes = try known.privateRepresentation()
        let (key, content) = try made(.brought(.rsa, bytes), at: row(.exportable))
        #expect(content.publicBytes == (try known.publicRepresentation()) && content.bits == 1024)
        #expect(try used(key, .export) == bytes)
        #expect(failure { _ = try made(.brought(.ec, bytes), at: row(.exportable)) }?.status == .param)
        #expect(failure { _ = try made(.brought(.rsa, SecretBytes([1, 2])), at: row(.useOnly)) }?.status == .param)
        #expect(failure { _ = try made(.brought(.ec, bytes), at: row(.enclave)) }?.status == .param)
        #expect(failure { _ = try made(.generated(.ec, bits: 384), at: row(.enclave)) }?.status == .param)
        #expect(failure { _ = try made(.generated(.ec, bits: 255), at: row(.useOnly)) }?.status == .param)
        // A failed decryption is the message's fault, and not damage.
        let wrong = KeyTask.decrypt(algorithm: "algid:encrypt:RSA:OAEP:SHA1", [UInt8](repeating: 1, count: 128))
        let refused = failure { _ = try used(key, wrong) }
        #expect(refused?.status == .decode && refused?.cause == .request)
        #expect(failure { _ = try used(key, .sign(algorithm: "nonsense", [])) }?.status == .param)
        let long = KeyTask.sign(algorithm: "a", [UInt8](repeating: 0, count: KeyTask.maximumInputBytes + 1))
        #expect(failure { _ = try used(key, long) }?.status == .param)
    }

    @Test func aWorkerThatFailsIsAnError() throws {
        var settings = EnclaveSettings()
        settings.keyWorkers = FakeWorker { _ throws(KeychainError) in .result(SecretBytes([1])) }
        let others = [try TemporaryFolder(), try TemporaryFolder()]
        let confused = Enclave(stateFolder: others[0].path, settings: settings)
        _ = try confused.openStore(store, isEmpty: true)
        guard
            case .failure(let error) = confused.answer(
                MakeSealedKey(.generated(.ec, bits: 256), at: row(.useOnly), in: store))
        else { throw Unexpected() }
        #expect(error.status == .internalComponent)
        let alone = Enclave(stateFolder: others[1].path)
        _ = try alone.openStore(store, isEmpty: true)
        guard
            case .failure(let missing) = alone.answer(
                MakeSealedKey(.generated(.ec, bits: 256), at: row(.useOnly), in: store))
        else { throw Unexpected() }
        #expect(missing.status == .notAvailable)
    }

    @Test func rawRSATakesBothRights() {
        #expect(KeyTask.sign(algorithm: "algid:sign:RSA:raw", []).operations == [.sign, .decapsulate])
        #expect(KeyTask.decrypt(algorithm: "algid:encrypt:RSA:raw", []).operations == [.decapsulate, .sign])
        #expect(Self.signing.operations == [.sign])
    }
}
