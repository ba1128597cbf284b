import CChatelaine
import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Foundation
import Glibc
import Sealing
import ServerIPC
import SystemCalls
import Testing

@testable import Enclave
@testable import KeyWorker

/// A worker keeps one key for the next request, and discards it in time.
@Suite struct RecentKeyTests {
    private let rowKey = SecretBytes([UInt8](repeating: 3, count: 32))

    private func made(_ kind: KeyKind, _ bits: UInt32, at row: RowContext) throws -> [UInt8] {
        var recent = RecentKey()
        let request = KeyWorkerRequest.make(.generated(kind, bits: bits), at: row, rowKey: rowKey)
        guard case .made(let sealed, _) = KeyWork.answer(request, &recent) else { throw Unexpected() }
        expect(recent, isKept: false)
        return sealed
    }

    private struct Unexpected: Error {}

    private func pair(_ key: WorkerKey) throws -> CryptographicKey {
        guard case .ofPair(let key) = key else { throw Unexpected() }
        return key
    }

    private func expect(
        _ recent: borrowing RecentKey, isKept expected: Bool, _ location: SourceLocation = #_sourceLocation
    ) {
        let isKept = recent.isKept
        #expect(isKept == expected, sourceLocation: location)
    }

    private func row() -> RowContext {
        var context = RowContext.sample(StoreIdentifier())
        (context.itemClass, context.keyCustody) = (.key, .useOnly)
        return context
    }

    @Test(arguments: [(KeyKind.rsa, 2048), (.ec, 256), (.ec, 521)] as [(KeyKind, UInt32)])
    func aKeyThatIsDearToReadIsReadOnce(_ kind: KeyKind, _ bits: UInt32) throws {
        let (row, other) = (row(), row())
        let (sealed, otherSealed) = (try made(kind, bits, at: row), try made(.ed25519, 256, at: other))
        var recent = RecentKey()
        let key = try pair(recent.key(opening: sealed, at: row, with: rowKey))
        expect(recent, isKept: true)
        let again = try pair(recent.key(opening: sealed, at: row, with: rowKey))
        #expect(again === key)
        // The bytes of such a key are the key.
        _ = try recent.key(opening: otherSealed, at: other, with: rowKey)
        expect(recent, isKept: false)
        let anew = try pair(recent.key(opening: sealed, at: row, with: rowKey))
        #expect(anew !== key)
        recent.forget()
        expect(recent, isKept: false)
    }

    /// Every request has to open the seal, even for the kept key.
    @Test func itIsNobodysWhoCannotOpenTheSeal() throws {
        let row = row()
        let sealed = try made(.rsa, 2048, at: row)
        var damaged = sealed
        damaged[damaged.count / 2] ^= 1
        var moved = row
        moved.row = ItemIdentifier()
        let attempts: [(sealed: [UInt8], place: RowContext, rowKey: SecretBytes)] = [
            (sealed, row, SecretBytes([UInt8](repeating: 4, count: 32))), (damaged, row, rowKey),
            (sealed, moved, rowKey),
        ]
        for attempt in attempts {
            var recent = RecentKey()
            _ = try recent.key(opening: sealed, at: row, with: rowKey)
            expect(recent, isKept: true)
            let isOpened =
                (try? recent.key(opening: attempt.sealed, at: attempt.place, with: attempt.rowKey)) != nil
            #expect(!isOpened)
            expect(recent, isKept: false)
        }
    }

    @Test func makingAnotherForgetsIt() throws {
        let row = row()
        let sealed = try made(.rsa, 1024, at: row)
        var recent = RecentKey()
        _ = try recent.key(opening: sealed, at: row, with: rowKey)
        expect(recent, isKept: true)
        let request = KeyWorkerRequest.make(.generated(.ec, bits: 256), at: self.row(), rowKey: rowKey)
        guard case .made = KeyWork.answer(request, &recent) else { throw Unexpected() }
        expect(recent, isKept: false)
    }
}
