import ChatelaineModel
import ChatelaineSystem
import Foundation
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import CallerIdentity

/// Digests are right, are kept while a process runs the file, and never belong to other content.
@Suite(.enabled(if: Bench.isRoot, Bench.needsRoot))
struct DigestTests {
    private let folder: TemporaryFolder
    /// The system counts how often an executable is opened for reading.
    private let system: FakeSystem
    private let hashings: Counter

    private final class Counter: Sendable { let value = Mutex(0) }

    init() throws {
        folder = try TemporaryFolder(isRootOnly: false)
        let hashings = Counter()
        self.hashings = hashings
        system = FakeSystem { call, path in
            if call == .open, path.hasPrefix("/proc/self/fd/") { hashings.value.withLock { $0 += 1 } }
            return nil
        }
    }

    @Test func digestIsThatOfSha256sum() throws {
        try Data("abc".utf8).write(to: URL(fileURLWithPath: folder("abc")))
        // The digest is the first example of FIPS 180-4.
        #expect(
            try digest(folder("abc")).description == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let large = Data((0..<700_001).map { UInt8(truncatingIfNeeded: $0 * 7) })
        try large.write(to: URL(fileURLWithPath: folder("large")))
        let first = try digest(folder("large"))
        try (large + [0]).write(to: URL(fileURLWithPath: folder("large")))
        #expect(try digest(folder("large")) != first)
    }

    @Test func rememberedWhileAProcessRunsIt() throws {
        let path = try folder.program()
        let cache = DigestCache()
        var (child, snapshot) = try run(path)
        let digest = try cache.digest(of: snapshot)
        #expect(hashed == 1)
        #expect(try cache.digest(of: snapshot) == digest)
        // Other processes that run the file get the kept digest, and keep it valid for those after them.
        for _ in 0..<3 {
            let (next, other) = try run(path)
            #expect(try cache.digest(of: other) == digest)
            child.end()
            (child, snapshot) = (next, other)
        }
        #expect(hashed == 1)
        #expect(cache.count == 1)
        child.end()
        #expect(cache.count == 0)
        (child, snapshot) = try run(path)
        #expect(try cache.digest(of: snapshot) == digest)
        #expect(hashed == 2)
    }

    @Test func forgottenWithItsConnection() throws {
        let path = try folder.program()
        let cache = DigestCache()
        let child = try Child([path])
        try #require(child.answers())
        func connect() throws {
            let snapshot = try ExecutableSnapshot(of: child.handle(system.calls))
            _ = try cache.digest(of: snapshot)
            #expect(cache.count == 1)
        }
        try connect()
        #expect(cache.count == 0)
        try connect()
        #expect(hashed == 2)
    }

    @Test func programThatExecutedAnotherVouchesForNothing() throws {
        let path = folder("sh")
        try FileManager.default.copyItem(atPath: "/bin/dash", toPath: path)
        let cache = DigestCache()
        let child = try Child.running([path, "-c", "read line; echo \"$line\"; read line; exec /usr/bin/cat"])
        let snapshot = try ExecutableSnapshot(of: child.handle(system.calls))
        _ = try cache.digest(of: snapshot)
        child.send("go\n")
        try #require(child.answers())
        #expect(cache.count == 0)
        #expect(throws: Errno.stale) { try cache.digest(of: snapshot) }
    }

    @Test func whatNobodyRunsIsNotRemembered() throws {
        let path = try folder.program()
        let cache = DigestCache()
        _ = try digest(path, cache)
        #expect(cache.count == 0)
        // A process that cannot be checked to run still is not kept either.
        let unwatched = FakeSystem(hidesMemory: true)
        let child = try Child([path])
        try #require(child.answers())
        let snapshot = try ExecutableSnapshot(of: child.handle(unwatched.calls))
        _ = try cache.digest(of: snapshot)
        #expect(cache.count == 0)
    }

    /// The kernel's behaviour that keeping digests relies on.
    @Test func kernelLetsNobodyWriteWhatRuns() throws {
        let path = try folder.program()
        let (child, _) = try run(path)
        #expect(open(path, O_WRONLY) == -1 && errno == ETXTBSY)
        #expect(truncate(path, 1) == -1 && errno == ETXTBSY)
        child.end()
        let file = open(path, O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        let page = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        close(file)
        try #require(page != MAP_FAILED)
        defer { munmap(page, 4096) }
        #expect(try CommandRun(["/bin/sh", "-c", "exec \"$0\" </dev/null", path]).end != .exited(0))
    }

    /// On tmpfs the kernel never notices that a page of a mapping changes, so the times of the file stay.
    @Test func changedThroughAMapping() throws {
        guard FileManager.default.isWritableFile(atPath: "/dev/shm") else { try Test.cancel("SKIPPED: no /dev/shm") }
        var template = Array("/dev/shm/chatelaine-test-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let place = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: place) }
        let path = place + "/app"
        try TemporaryFolder.copyProgram(to: path, padding: "1")
        let cache = DigestCache()
        var (child, snapshot) = try run(path)
        let first = try cache.digest(of: snapshot)
        child.end()
        let before = try FileCalls.system.status(at: path, in: AT_FDCWD)
        try mapped(path) { $0[$0.count - 1] += 1 }
        #expect(
            try FileCalls.system.status(at: path, in: AT_FDCWD) == before,
            "the kernel stamps what is mapped from tmpfs now")
        (child, snapshot) = try run(path)
        #expect(try cache.digest(of: snapshot) != first)
    }

    private func mapped(_ path: String, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Void) throws {
        let file = open(path, O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        let size = Int(try FileCalls.system.status(of: file).size)
        let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        try #require(start != MAP_FAILED)
        let bytes = UnsafeMutableBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: size)
        // The read makes the page writable without a second fault.
        #expect(bytes[size - 1] == UInt8(ascii: "1"))
        body(bytes)
        munmap(start, size)
    }

    @Test func anotherFileUnderTheSameName() throws {
        try folder.program("one")
        try folder.program("two", padding: "two")
        let status = try FileCalls.system.status(at: folder("one"), in: AT_FDCWD)
        let file = try FileCalls.system.open(folder("two"), in: AT_FDCWD, .read)
        #expect(throws: Errno.stale) {
            try DigestCache().compute(file.number, expecting: status.content, system: system.calls)
        }
    }

    @Test func failuresAreNotRemembered() throws {
        let path = try folder.program()
        let broken = FakeSystem { call, path in call == .open && path.hasPrefix("/proc/self/fd/") ? Errno(EIO) : nil }
        let child = try Child([path])
        try #require(child.answers())
        let snapshot = try ExecutableSnapshot(of: child.handle(broken.calls))
        let cache = DigestCache()
        #expect(throws: Errno(EIO)) { try cache.digest(of: snapshot) }
        #expect(cache.count == 0)
        withExtendedLifetime(child) {}
    }

    @Test func manyThreadsHashOnce() throws {
        let (child, snapshot) = try run(try folder.program())
        let cache = DigestCache()
        DispatchQueue.concurrentPerform(iterations: 50) { _ in _ = try? cache.digest(of: snapshot) }
        #expect(hashed == 1)
        withExtendedLifetime(child) {}
    }

    private var hashed: Int { hashings.value.withLock { $0 } }

    private func run(_ path: String) throws -> (Child, ExecutableSnapshot) {
        let child = try Child.running([path])
        return (child, try ExecutableSnapshot(of: child.handle(system.calls)))
    }

    private func digest(_ path: String, _ cache: DigestCache = DigestCache()) throws -> ExecutableDigest {
        let file = try FileCalls.system.open(path, in: AT_FDCWD, .read)
        return try cache.compute(
            file.number, expecting: FileCalls.system.status(of: file.number).content, system: system.calls)
    }
}
