import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import TestSupport
import Testing

@testable import Enclave
@testable import KeyWorker

/// The custodian has symmetric keys of rows used, and gives their bytes to nobody.
@Suite struct KeptSymmetricKeyTests {
    private let folder: TemporaryFolder
    private let enclave: Enclave
    private let store = StoreIdentifier()

    init() throws {
        folder = try TemporaryFolder()
        var settings = EnclaveSettings()
        settings.keyWorkers = FakeWorker()
        enclave = Enclave(stateFolder: folder.path, settings: settings)
        _ = try enclave.openStore(store, isEmpty: true)
    }

    private func row(_ use: KeyCustody?, _ constraints: AccessConstraints? = nil) -> RowContext {
        var context = RowContext.sample(store)
        (context.itemClass, context.keyCustody, context.constraints) = (.key, use, constraints)
        return context
    }

    private func made(_ source: KeySource, at row: RowContext) throws -> (key: SealedKey, content: KeyContent) {
        let made = try enclave.answer(MakeSealedKey(source, at: row, in: store)).get()
        let wrapped = WrappedRowKey(classKeyID: made.classKeyID, wrapped: made.wrapped, context: row)
        return (SealedKey(rowKey: wrapped, sealed: made.sealed), made.content)
    }

    private func used(_ key: SealedKey, _ task: KeyTask) throws -> [UInt8] {
        try enclave.answer(UseSealedKey(key, task, in: store)).get().bytes.withUnsafeBytes { [UInt8]($0) }
    }

    private struct Unexpected: Error {}

    private func failure(_ body: () throws -> Void) -> KeychainError? {
        do { try body() } catch { return error as? KeychainError }
        return nil
    }

    private static func bytes(_ hexadecimal: String) throws -> [UInt8] {
        try #require(Hexadecimal.bytes(of: hexadecimal.utf8))
    }

    @Test(arguments: PublishedKeyWrap.all)
    func wrappingIsAsPublished(key: String, other: String, wrapped: String) throws {
        let (own, inner, outer) = (try Self.bytes(key), try Self.bytes(other), try Self.bytes(wrapped))
        let (key, content) = try made(.brought(.aes, SecretBytes(own)), at: row(.symmetric))
        #expect(content == KeyContent(kind: .aes, bits: UInt32(own.count * 8), publicBytes: [], label: []))
        #expect(try used(key, .wrap(SecretBytes(inner))) == outer)
        #expect(try used(key, .unwrap(outer)) == inner)
        // Data of another key are the caller's fault, and not damage, which would set the row aside.
        var altered = outer
        altered[3] ^= 1
        let refused = failure { _ = try used(key, .unwrap(altered)) }
        #expect(refused?.status == .decode && refused?.cause == .request)
        #expect(failure { _ = try used(key, .unwrap([1])) }?.status == .decode)
        #expect(failure { _ = try used(key, .wrap(SecretBytes([1]))) }?.status == .param)
    }

    @Test func itsBytesAreGivenToNobody() throws {
        let (key, _) = try made(.generated(.aes, bits: 256), at: row(.symmetric))
        #expect(failure { _ = try used(key, .export) }?.status == .unimplemented)
        #expect(failure { _ = try enclave.createRowKeys([row(.symmetric)]) }?.status == .param)
        #expect(try enclave.openRowKeys([key.rowKey])[0].status == .param)
        // Another use is another place, whose key this is not.
        for use in [nil, .exportable, .useOnly] as [KeyCustody?] {
            var renamed = key
            renamed.rowKey.context.keyCustody = use
            if use == nil {
                #expect(try enclave.openRowKeys([renamed.rowKey])[0].status == .decode)
            } else {
                #expect(failure { _ = try used(renamed, use == .exportable ? .export : Self.signing) } != nil)
                #expect(failure { _ = try used(renamed, Self.signing) }?.cause == .unsealable)
            }
            #expect(failure { _ = try made(.kept(key), at: row(use)) }?.status == .param)
        }
    }

    private static let signing = KeyTask.sign(
        algorithm: "algid:sign:ECDSA:digest-X962", [UInt8](repeating: 7, count: 32))

    @Test func kindsAndTasksBelongTogether() throws {
        let (key, _) = try made(.generated(.aes, bits: 128), at: row(.symmetric))
        let (pair, _) = try made(.generated(.ec, bits: 256), at: row(.useOnly))
        let wrapping = KeyTask.wrap(SecretBytes([UInt8](repeating: 1, count: 16)))
        #expect(try used(key, wrapping).count == 24)
        #expect(failure { _ = try used(key, Self.signing) }?.status == .param)
        #expect(failure { _ = try used(pair, wrapping) }?.status == .param)
        #expect(failure { _ = try made(.generated(.ec, bits: 256), at: row(.symmetric)) }?.status == .param)
        for use in KeyCustody.allCases where use != .symmetric {
            #expect(failure { _ = try made(.generated(.aes, bits: 128), at: row(use)) }?.status == .param)
        }
        for bits in [0, 64, 255, 512] as [UInt32] {
            #expect(failure { _ = try made(.generated(.aes, bits: bits), at: row(.symmetric)) }?.status == .param)
        }
        let short = SecretBytes([UInt8](repeating: 1, count: 15))
        #expect(failure { _ = try made(.brought(.aes, short), at: row(.symmetric)) }?.status == .param)
    }

    @Test func itMovesAndIsWrappedAnew() throws {
        let inner = SecretBytes([UInt8](repeating: 1, count: 16))
        let (key, content) = try made(.generated(.aes, bits: 256), at: row(.symmetric))
        let wrapped = try used(key, .wrap(inner))
        var place = key.rowKey.context
        (place.version, place.accessibility) = (place.version + 1, .afterFirstUnlock)
        let (moved, same) = try made(.kept(key), at: place)
        #expect(try same == content && used(moved, .wrap(inner)) == wrapped)
        let again = try enclave.answer(RewrapRowKeys([key.rowKey], in: store)).get()
        guard case .key(let id, let rowKey)? = again.first else { throw Unexpected() }
        let rewrapped = WrappedRowKey(classKeyID: id, wrapped: rowKey, context: key.rowKey.context)
        #expect(try used(SealedKey(rowKey: rewrapped, sealed: key.sealed), .wrap(inner)) == wrapped)
    }

    /// The constraints are those of a password: what protects reading it protects each use of the key.
    @Test func constraintsStandBeforeEachUse() throws {
        var constraints = AccessConstraints()
        constraints.operations = [.decrypt: .never, .encrypt: .always, .delete: .always]
        let place = row(.symmetric, constraints)
        let (key, _) = try made(.generated(.aes, bits: 256), at: place)
        let inner = SecretBytes([UInt8](repeating: 1, count: 16))
        for task in [KeyTask.wrap(inner), .unwrap([UInt8](repeating: 1, count: 24))] {
            #expect(failure { _ = try used(key, task) }?.status == .authFailed)
        }
        #expect(failure { _ = try made(.kept(key), at: place) }?.status == .authFailed)
    }
}
