import ChatelaineMemory
import Sealing
import Testing

@testable import StoreEngine

/// The sum of the terms of a damaged file's rows is the same on any number of threads.
@Suite struct RowTermsTests {
    @Test(arguments: [(1, 2048), (1, 2), (2, 2), (3, 1), (4, 64)])
    func batchesAndThreadsMakeNoDifference(threads: Int, pagesPerBatch: Int) throws {
        let notes = try NoteStore()
        try notes.write(0..<200, to: notes.open())
        // Every tenth row continues on other pages.
        try notes.execute("UPDATE notes SET body = zeroblob(20000) WHERE number % 10 = 3")
        let damaged = try #require(try DamagedDatabase(folder: notes.folder, layout: NoteKind.layout))
        let authenticator = RowAuthenticator(KeyedDigest(notes.kind.key), NoteKind.layout)
        var copied = RowMultisetHash()
        damaged.forEachBatch(in: [1..<damaged.pageCount + 1]) { rows in
            for row in rows { copied.insert(authenticator.term(of: row)) }
            return true
        }
        var found = RowMultisetHash()
        RowTerms(database: damaged, authenticator: authenticator, pagesPerBatch: pagesPerBatch, threads: threads)
            .forEach { found.insert($0.term) }
        #expect(found == copied && found.count == 200)
    }
}
