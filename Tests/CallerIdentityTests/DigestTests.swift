import ChatelaineMemory
import Foundation
import Synchronization
import Testing

@testable import CallerIdentity

/// Digests: right, remembered, and never of another content.
struct DigestTests {
    /// Later than every file of these tests by more than the settling time.
    private let later = LinuxCalls().now + 60_000_000_000

    @Test func digestIsThatOfSha256sum() throws {
        let folder = try TemporaryFolder()
        try Data("abc".utf8).write(to: URL(fileURLWithPath: folder("abc")))
        // FIPS 180-4, the first example.
        #expect(
            try digest(folder("abc"), DigestCache(folder: nil, key: Bench.key)).description
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let large = Data((0..<700_001).map { UInt8(truncatingIfNeeded: $0 * 7) })
        try large.write(to: URL(fileURLWithPath: folder("large")))
        let first = try digest(folder("large"), DigestCache(folder: nil, key: Bench.key))
        try (large + [0]).write(to: URL(fileURLWithPath: folder("large")))
        #expect(try digest(folder("large"), DigestCache(folder: nil, key: Bench.key)) != first)
    }

    @Test func rememberedOverARestart() throws {
        let folder = try TemporaryFolder()
        let path = try folder.program()
        let system = FakeSystem(now: later)
        let cache = DigestCache(folder: folder.path, key: Bench.key, system: system, log: { _ in })
        let digest = try digest(path, cache, system)
        let reads = system.count(.read)
        #expect(try self.digest(path, cache, system) == digest)
        #expect(system.count(.read) == reads)

        let again = FakeSystem(now: later)
        let reopened = DigestCache(folder: folder.path, key: Bench.key, system: again, log: { _ in })
        #expect(reopened.count == 1)
        let readsOfFile = again.count(.read)
        #expect(try self.digest(path, reopened, again) == digest)
        #expect(again.count(.read) == readsOfFile)
    }

    @Test func freshFilesAreNotRemembered() throws {
        let folder = try TemporaryFolder()
        let path = try folder.program()
        let cache = DigestCache(folder: folder.path, key: Bench.key)
        _ = try digest(path, cache)
        #expect(cache.count == 0)
    }

    @Test func savingIsCoalesced() throws {
        let folder = try TemporaryFolder()
        let system = FakeSystem(now: later)
        let cache = DigestCache(folder: folder.path, key: Bench.key, system: system, log: { _ in })
        for index in 0..<20 { _ = try digest(try folder.program("app\(index)"), cache, system) }
        #expect(system.count(.rename) == 1)
        cache.flush()
        #expect(system.count(.rename) == 2)
        cache.flush()
        #expect(system.count(.rename) == 2)
        system.set(now: later + DigestCache.saveInterval)
        _ = try digest(try folder.program("late"), cache, system)
        #expect(system.count(.rename) == 3)
        #expect(DigestCache(folder: folder.path, key: Bench.key).count == 21)
    }

    @Test func leastRecentlyUsedGoesFirst() throws {
        let folder = try TemporaryFolder()
        let system = FakeSystem(now: later)
        var entries = [FileStatus.Content: DigestCache.Entry]()
        let some = try #require(ExecutableDigest(Array(repeating: 1, count: 32)))
        for index in 0..<DigestCache.maximumEntries {
            let content = FileStatus.Content(
                key: FileKey(device: .max, inode: .max - UInt64(index)), size: .max, modified: .min, changed: .max)
            entries[content] = .init(digest: some, lastUse: UInt64(index))
        }
        let encoded = DigestCache.encoded(entries)
        #expect(encoded.count <= DigestCache.fileLimit)
        #expect(try DigestCache.decoded(encoded) == entries)
        try file(folder).write(encoded)
        let cache = DigestCache(folder: folder.path, key: Bench.key, system: system, log: { _ in })
        #expect(cache.count == DigestCache.maximumEntries)
        _ = try digest(try folder.program(), cache, system)
        #expect(cache.count == DigestCache.maximumEntries)
        let kept = try DigestCache.decoded(try #require(try file(folder).read()))
        #expect(!kept.contains { $0.key.key.inode == .max })
        #expect(kept.contains { $0.key.key.inode == .max - 1 })
    }

    @Test func alteredFileIsPutAside() throws {
        let folder = try TemporaryFolder()
        let system = FakeSystem(now: later)
        let path = try folder.program()
        _ = try digest(path, DigestCache(folder: folder.path, key: Bench.key, system: system, log: { _ in }), system)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: folder("digests")))
        bytes[bytes.count - 40] ^= 1
        try bytes.write(to: URL(fileURLWithPath: folder("digests")))
        let said = Mutex("")
        let log: @Sendable (String) -> Void = { text in said.withLock { $0 = text } }
        let cache = DigestCache(folder: folder.path, key: Bench.key, system: system, log: log)
        #expect(cache.count == 0)
        #expect(said.withLock { $0 }.contains("digests.damaged"))
        #expect(FileManager.default.fileExists(atPath: folder("digests.damaged")))
        _ = try digest(path, cache, system)
        #expect(cache.count == 1)
    }

    @Test func anotherFileUnderTheSameName() throws {
        let folder = try TemporaryFolder()
        try folder.program("one")
        try folder.program("two", padding: "two")
        let system = LinuxCalls()
        let status = try system.status(at: folder("one"), in: AT_FDCWD)
        let path = folder("two")
        #expect(throws: Errno.stale) {
            try DigestCache(folder: nil, key: Bench.key).digest(of: status) { () throws(Errno) in
                try system.open(path, in: AT_FDCWD, .read)
            }
        }
    }

    @Test func failuresAreNotRemembered() throws {
        let folder = try TemporaryFolder()
        let path = try folder.program()
        let broken = FakeSystem(now: later) { call, _ in call == .read ? Errno(EIO) : nil }
        let cache = DigestCache(folder: nil, key: Bench.key, system: broken, log: { _ in })
        #expect(throws: Errno(EIO)) { try digest(path, cache, broken) }
        #expect(cache.count == 0)
    }

    @Test func fullDiskCostsTheFileOnly() throws {
        let folder = try TemporaryFolder()
        let path = try folder.program()
        let full = FakeSystem(now: later) { call, _ in call == .write ? .noSpace : nil }
        let cache = DigestCache(folder: folder.path, key: Bench.key, system: full, log: { _ in })
        _ = try digest(path, cache, full)
        #expect(cache.count == 1)
        #expect(!FileManager.default.fileExists(atPath: folder("digests.new")))
    }

    @Test func manyThreadsHashOnce() throws {
        let folder = try TemporaryFolder()
        let path = try folder.program()
        let system = FakeSystem(now: later)
        let cache = DigestCache(folder: nil, key: Bench.key, system: system, log: { _ in })
        let opened = Mutex(0)
        let status = try system.status(at: path, in: AT_FDCWD)
        DispatchQueue.concurrentPerform(iterations: 50) { _ in
            _ = try? cache.digest(of: status) { () throws(Errno) in
                opened.withLock { $0 += 1 }
                return try system.open(path, in: AT_FDCWD, .read)
            }
        }
        #expect(opened.withLock { $0 } == 1)
    }

    private func digest(
        _ path: String, _ cache: DigestCache, _ system: any SystemCalls = LinuxCalls()
    ) throws -> ExecutableDigest {
        try cache.digest(of: try system.status(at: path, in: AT_FDCWD)) { () throws(Errno) in
            try system.open(path, in: AT_FDCWD, .read)
        }
    }

    private func file(_ folder: TemporaryFolder) -> AuthenticatedFile {
        AuthenticatedFile(
            folder: folder.path, name: "digests", kind: DigestCache.fileKind, version: DigestCache.fileVersion,
            limit: DigestCache.fileLimit, key: Bench.key, system: LinuxCalls())
    }
}
