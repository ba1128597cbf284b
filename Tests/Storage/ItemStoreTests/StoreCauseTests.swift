import ChatelaineModel
import GRDBSQLite
import Glibc
import Testing

@testable import ItemStore
@testable import StoreEngine

/// The store acts on the causes of errors, never on their sentences.
@Suite struct StoreCauseTests {
    typealias Cause = KeychainError.Cause

    @Test(arguments: [
        (SQLITE_FULL, Int32(0), Cause.full), (SQLITE_IOERR, ENOSPC, .full), (SQLITE_IOERR, EDQUOT, .full),
        (SQLITE_IOERR, EFBIG, .full), (SQLITE_IOERR, EIO, .disk), (SQLITE_IOERR, 0, .disk),
        (SQLITE_IOERR | 12 << 8, 0, .disk), (SQLITE_READONLY, 0, .readOnly), (SQLITE_READONLY | 1 << 8, 0, .readOnly),
        (SQLITE_NOMEM, 0, .memory), (SQLITE_CORRUPT, 0, .damage), (SQLITE_CORRUPT | 3 << 8, 0, .damage),
        (SQLITE_NOTADB, 0, .damage), (SQLITE_BUSY, 0, .busy), (SQLITE_BUSY | 2 << 8, 0, .busy),
        (SQLITE_LOCKED, 0, .busy), (SQLITE_PROTOCOL, 0, .busy), (SQLITE_CANTOPEN, EACCES, .unavailable),
        (SQLITE_CANTOPEN, ENOSPC, .full),
        (SQLITE_PERM, 0, .unavailable), (SQLITE_AUTH, 0, .unavailable), (SQLITE_CONSTRAINT | 8 << 8, 0, .duplicate),
        (SQLITE_CONSTRAINT | 6 << 8, 0, .duplicate), (SQLITE_CONSTRAINT | 1 << 8, 0, .fault), (SQLITE_ERROR, 0, .fault),
        (SQLITE_MISUSE, 0, .fault),
    ])
    func resultCodes(code: Int32, errno: Int32, cause: Cause) {
        let error = KeychainError(extended: code, errno: errno, "trying")
        #expect(error.cause == cause && error.status == cause.status)
    }

    /// The words of damage under another cause do not reopen the store. Damage in other words does.
    @Test func wordsOfDamageAreNoDamage() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        expect(.notAvailable) {
            try store.readers.read { (_) throws(KeychainError) -> Void in
                throw KeychainError(
                    .notAvailable, "the item store's database is damaged; its files are kept as they are")
            }
        }
        #expect(!store.needsReopening && !store.isDamaged)
        expect(.notAvailable) {
            try store.readers.read { (_) throws(KeychainError) -> Void in throw KeychainError(cause: .damage, "oh") }
        }
        #expect(store.needsReopening && store.isDamaged)
    }

    /// Code that decided by words would take an error of the disk for an unusable snapshot.
    @Test func wordsOfASnapshotAreNotItsEnd() {
        #expect(!KeychainError(.notAvailable, "a snapshot cannot be used: it is damaged").isUnusableSnapshot)
        #expect(KeychainError(cause: .unusableSnapshot, "").isUnusableSnapshot)
        #expect(KeychainError(cause: .damage, "").isUnusableSnapshot)
        #expect(!KeychainError(cause: .disk, "").isUnusableSnapshot)
    }

    /// `item-store.md` documents these words.
    @Test func wordsOfTheListOfLossesStay() {
        #expect(
            LossList.Event.allCases.map(\.rawValue) == [
                "set-aside", "restored", "lost", "changes-lost", "changes-missing", "acknowledged", "mark-damaged",
                "recovery-begun", "recovery-finished", "store-restored", "mark-missing", "mark-of-another-store",
                "head-altered", "other-history", "older-file", "exchanged", "rows-altered", "cleared", "store-deleted",
            ])
    }

    @Test func numbersOfRecoveriesStay() {
        #expect([Recovery.Phase.damaged, .snapshot].map(\.rawValue) == [1, 2])
        #expect([LossReport.Cause.recovery, .markAhead, .rows].map(\.rawValue) == [1, 2, 3])
    }
}
