import ChatelaineModel
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Files that are damaged further during a recovery, or whose content contradicts itself.
@Suite struct DamagedFileTests {
    let fixture = StoreFixture()

    /// The recovery's position is then behind the end of the file.
    @Test func aDamagedFileThatBecameShorterMeanwhile() throws {
        try fixture.fill(0..<700)
        try fixture.garblePage(1)
        do {
            let store = try fixture.open()
            #expect(try store.continueRecovery())
            #expect(store.isRecovering)
        }
        let folder = try #require(try fixture.setAside().first)
        let damaged = "\(fixture.places.quarantine)/\(folder)/items.db"
        try #require(try fixture.size(damaged) > 70 * StoreFixture.pageSize)
        try fixture.truncate(damaged, to: 3 * StoreFixture.pageSize)
        let store = try fixture.open()
        #expect(store.isRecovering)
        #expect(try store.find(.password("no", "such")).isEmpty)
        while try store.continueRecovery() {}
        try store.add(.password("after", "all", secret: "1"))
    }
}
