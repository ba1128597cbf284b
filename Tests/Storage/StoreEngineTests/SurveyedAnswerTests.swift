import ChatelaineModel
import Testing

@testable import StoreEngine

/// What a damaged file says beside its rows goes into the new store, however long it is.
@Suite struct SurveyedAnswerTests {
    @Test func aLongAnswerEndsNoRecovery() throws {
        let notes = try NoteStore()
        try notes.write(0..<5, to: notes.open())
        // Records of this length stay in their pages only where these are larger than ours.
        try notes.execute("PRAGMA journal_mode = DELETE; PRAGMA page_size = 32768; VACUUM")
        try notes.execute(
            "PRAGMA ignore_check_constraints = 1; UPDATE requests SET item = zeroblob(12000) WHERE slot % 2 = 1")
        let damaged = try notes.damagedDatabase()
        #expect(damaged.pageSize == 32768 && damaged.survey().requests.count == 5)
        let store = try notes.open(isDamaged: true)
        while try store.continueRecovery() {}
        #expect(try notes.count(in: store) == 5)
        let answers = try store.readers.read { (reader) throws(KeychainError) in
            try ReadConnection.integer(reader.handle, "SELECT count(*) FROM requests")
        }
        #expect(answers == 5)
    }
}
