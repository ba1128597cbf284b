import ChatelaineMemory
import ChatelaineModel
import Foundation
import Glibc
import Testing

@testable import ItemStore
@testable import StoreEngine

/// A store that cannot be written refuses changes, and works again once it can be written.
@Suite struct FaultTests {
    @Test func aFullDatabaseRefusesAndRecovers() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        try store.add(.password("kept", "a", secret: "1"))
        try store.tamper("PRAGMA max_page_count = \(try store.integer("PRAGMA page_count"))")
        let large = SecretBytes([UInt8](repeating: 1, count: 100_000))
        expect(.notAvailable) { try store.add(.password("new", "a").with { $0.secret = large }) }
        var change = ItemChange()
        change.secret = large
        expect(.notAvailable) { try store.update(.password("kept"), change) }
        #expect(try store.find(.password("kept", returns: .data)).map(\.password) == ["1"])
        #expect(try store.find(.password("new")).isEmpty)
        try store.tamper("PRAGMA max_page_count = 1000000")
        try store.add(.password("new", "a").with { $0.secret = large })
        #expect(try store.statistics().sequence == 2)
        #expect(fixture.quarantined().isEmpty)
    }

    @Test func aConnectionThatMayNotWriteSaysSo() throws {
        let store = try StoreFixture().open()
        try store.add(.password("kept", "a", secret: "1"))
        try store.tamper("PRAGMA query_only = 1")
        expect(.readOnly) { try store.add(.password("new", "a")) }
        expect(.readOnly) { try store.delete(.password("kept")) }
        #expect(try store.find(.password("kept", returns: .data)).map(\.password) == ["1"])
        try store.tamper("PRAGMA query_only = 0")
        try store.delete(.password("kept"))
    }

    @Test func aDamagedRowStaysWhereNothingCanBeWritten() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        try store.add(.password("svc", "a", secret: "1"))
        try store.tamper("UPDATE items SET metadata = X'00'; PRAGMA query_only = 1")
        #expect(try store.find(.password("svc")).isEmpty)
        #expect(fixture.events.withLock { $0.contains { if case .quarantineFailed = $0 { true } else { false } } })
        expect(.itemNotFound) { try store.delete(.password("svc")) }
        expect(.readOnly) { try store.add(.password("svc", "a")) }
        try store.tamper("PRAGMA query_only = 0")
        try store.add(.password("svc", "a"))
    }

    /// Uses a real disk of two megabytes that is filled up. The test needs root and a mount.
    @Test(.enabled(if: TemporaryDisk.isPossible, "needs root and mount"))
    func aFullDiskRefusesAndRecovers() throws {
        let disk = try #require(TemporaryDisk(megabytes: 2))
        let fixture = StoreFixture(folder: disk.path + "/store")
        let ballast = disk.path + "/ballast"
        do {
            let store = try fixture.open()
            try store.add(.password("kept", "a", secret: "1"))
            disk.fill(ballast)
            var acknowledged = 0
            var refusals: Set<Status> = []
            let secret = SecretBytes([UInt8](repeating: 1, count: 20_000))
            for index in 0..<50 {
                do {
                    try store.add(.password("new", "\(index)").with { $0.secret = secret })
                    acknowledged += 1
                } catch let error as KeychainError {
                    refusals.insert(error.status)
                }
            }
            #expect(refusals == [.notAvailable])
            #expect(try store.find(.password("kept", returns: .data)).map(\.password) == ["1"])
            #expect(try store.find(.password("new").with { $0.limit = .all }).count == acknowledged)
            unlink(ballast)
            try store.add(.password("later", "a").with { $0.secret = secret })
        }
        let store = try fixture.open()
        #expect(try store.find(.password("later")).count == 1)
        #expect(try store.find(.password("kept")).count == 1)
    }

    @Test(.enabled(if: TemporaryDisk.isPossible, "needs root and mount"))
    func aDiskThatIsFullFromTheStartOrReadOnly() throws {
        let disk = try #require(TemporaryDisk(megabytes: 2))
        let fixture = StoreFixture(folder: disk.path + "/store")
        let ballast = disk.path + "/ballast"
        disk.fill(ballast)
        expect(.notAvailable) { _ = try fixture.open() }
        unlink(ballast)
        // The files that the failed attempt left behind are no obstacle.
        do { try fixture.open().add(.password("kept", "a", secret: "1")) }
        disk.remount(readOnly: true)
        #expect(throws: KeychainError.self) { _ = try fixture.open().add(.password("new", "a")) }
        let fresh = StoreFixture(folder: disk.path + "/other")
        expect(.readOnly) { _ = try fresh.open() }
        disk.remount(readOnly: false)
        #expect(try fixture.open().find(.password("kept", returns: .data)).map(\.password) == ["1"])
    }
}

/// A file system in memory, of a size that a test can use up.
final class TemporaryDisk {
    let path: String

    static var isPossible: Bool { geteuid() == 0 && TemporaryDisk(megabytes: 1) != nil }

    init?(megabytes: Int) {
        path = NSTemporaryDirectory() + "/chatelaine-disk-" + UUID().uuidString
        guard mkdir(path, 0o700) == 0 else { return nil }
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m,mode=700") == 0 else {
            rmdir(path)
            return nil
        }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }

    /// Writes a file until nothing more goes in.
    func fill(_ file: String) {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let block = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
        close(descriptor)
    }

    func remount(readOnly: Bool) {
        let flags = UInt(MS_REMOUNT) | (readOnly ? UInt(MS_RDONLY) : 0)
        mount("tmpfs", path, "tmpfs", flags, nil)
    }
}
