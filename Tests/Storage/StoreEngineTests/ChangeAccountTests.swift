import Testing

@testable import StoreEngine

/// The arithmetic of ``ChangeAccount``.
@Suite struct ChangeAccountTests {
    private func missing(
        _ since: UInt64, _ known: UInt64, _ rows: [(version: UInt64, sequence: UInt64, before: UInt64?)]
    ) -> UInt64 {
        var account = ChangeAccount(since: since, known: known)
        for row in rows { account.note(version: row.version, sequence: row.sequence, before: row.before) }
        return account.missing
    }

    @Test func nothingKnownNothingProven() {
        #expect(missing(3, 9, []) == 6)
        #expect(missing(9, 9, []) == 0)
        #expect(missing(9, 3, []) == 0)
    }

    @Test func additionsAreDifferentChanges() { #expect(missing(0, 3, [(1, 1, 0), (1, 2, 0), (1, 3, 0)]) == 0) }

    @Test func aRowProvesAllItsChanges() {
        #expect(missing(0, 5, [(5, 5, 0)]) == 0)
        #expect(missing(10, 15, [(8, 15, 3)]) == 0)
        #expect(missing(10, 15, [(8, 15, nil)]) == 4)
    }

    @Test func oneChangeOfManyRowsIsOne() { #expect(missing(10, 20, [(2, 15, 1), (2, 15, 1), (2, 15, 1)]) == 9) }

    @Test func changesBehindARowsLastAreNoneOfIts() {
        // Of the first row three changes up to 14 are known, of the other row one at 16.
        #expect(missing(10, 16, [(4, 14, 1), (2, 16, 1)]) == 2)
    }

    @Test func whatIsOlderOrImpossibleProvesNothing() {
        #expect(missing(10, 12, [(1, 10, 0), (1, 13, 0), (0, 11, 0)]) == 2)
    }
}
