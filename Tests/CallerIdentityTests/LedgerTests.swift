import ChatelaineModel
import Foundation
import Testing

@testable import CallerIdentity

/// Decisions: durable, exact, and not to be widened by accident.
struct LedgerTests {
    private let folder: TemporaryFolder
    private let one: ExecutableDigest
    private let two: ExecutableDigest

    init() throws {
        folder = try TemporaryFolder()
        one = try #require(ExecutableDigest(Array(repeating: 1, count: 32)))
        two = try #require(ExecutableDigest(Array(repeating: 2, count: 32)))
    }

    @Test func pinnedOnceAndForGood() throws {
        let ledger = try ledger()
        #expect(ledger.evaluate("/a", digest: one) == .unknown)
        try ledger.pin("/a", digest: one)
        let generation = ledger.generation
        try ledger.pin("/a", digest: one)
        #expect(ledger.generation == generation)
        for ledger in [ledger, try self.ledger()] {
            #expect(ledger.evaluate("/a", digest: one) == .pinned)
            #expect(ledger.evaluate("/a", digest: two) == .changed)
            #expect(ledger.evaluate("/a/b", digest: two) == .unknown)
            #expect(throws: KeychainError(.authFailed, "")) { try ledger.pin("/a", digest: two) }
        }
        try ledger.accept("/a", digest: two)
        for ledger in [ledger, try self.ledger()] {
            #expect(ledger.evaluate("/a", digest: two) == .pinned)
            #expect(ledger.list().count == 1)
            #expect(ledger.list()[0].accepted != nil)
            #expect(ledger.list()[0].since > 1_700_000_000)
        }
        #expect(throws: KeychainError(.itemNotFound, "")) { try ledger.accept("/b", digest: one) }
        #expect(try ledger.forget("/a").kind == .pinned(two))
        #expect(try self.ledger().evaluate("/a", digest: one) == .unknown)
        #expect(throws: KeychainError(.itemNotFound, "")) { try ledger.forget("/a") }
    }

    @Test func developmentReachesDownAndNoFurther() throws {
        let ledger = try ledger()
        try FileManager.default.createDirectory(atPath: folder("build/debug"), withIntermediateDirectories: true)
        symlink(folder("build"), folder("link"))
        #expect(try ledger.develop(folder("link/") + "debug/..") == folder("build"))
        #expect(ledger.evaluate(folder("build/debug/app"), digest: one) == .development)
        #expect(ledger.evaluate(folder("builds/app"), digest: one) == .unknown)
        #expect(ledger.evaluate(folder("build"), digest: one) == .unknown)
        let program = try folder.program("tool")
        try ledger.develop(program)
        #expect(try self.ledger().evaluate(program, digest: one) == .development)
        #expect(ledger.evaluate(program + "/below", digest: one) == .unknown)
        try ledger.pin(folder("build/x"), digest: one)
        #expect(try ledger.forget(folder("build")).kind == .developmentFolder)
        #expect(ledger.evaluate(folder("build/x"), digest: two) == .changed)
    }

    @Test func declarationIsTakenBackBeforeThePin() throws {
        let ledger = try ledger()
        let program = try folder.program("tool")
        try ledger.pin(program, digest: one)
        try ledger.develop(program)
        #expect(try ledger.forget(program).kind == .developmentProgram)
        #expect(ledger.evaluate(program, digest: two) == .changed)
    }

    @Test func whatMayNotBeDeclared() throws {
        let home = folder("home/me")
        try FileManager.default.createDirectory(atPath: home + "/build", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: folder("open"), withIntermediateDirectories: true)
        chmod(folder("open"), 0o1777)
        symlink(home, folder("alias"))
        try Data().write(to: URL(fileURLWithPath: folder("text")))
        let ledger = try ledger(homes: [folder("alias")])
        let long = "/" + String(repeating: "x", count: ApplicationLedger.longestPath)
        for path in [
            "/", "relative", "", "~", "/tmp", home, folder("home"), folder("alias"), folder("open"), folder("text"),
            folder("missing"), "/dev/null", "/home/..", home + "/build/..", long, "/root",
        ] {
            #expect(throws: KeychainError(.param, ""), "\(path.prefix(80))") { try ledger.develop(path) }
        }
        #expect(ledger.list().isEmpty)
        try ledger.develop(home + "/build")
        if Bench.isRoot {
            try FileManager.default.createDirectory(atPath: folder("others"), withIntermediateDirectories: true)
            chown(folder("others"), 20_002, 20_002)
            #expect(throws: KeychainError(.param, "")) { try ledger.develop(folder("others")) }
        }
    }

    @Test func alteredLedgerIsAnError() throws {
        try ledger().pin("/a", digest: one)
        let path = folder("applications")
        let good = try Data(contentsOf: URL(fileURLWithPath: path))
        var bad = good
        bad[20] ^= 1
        try bad.write(to: URL(fileURLWithPath: path))
        #expect(throws: KeychainError(.decode, "")) { try ledger() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bad)
        // A cache of digests, genuine as it is, is no ledger.
        DigestCache(folder: folder.path, key: Bench.key).flush()
        let cache = AuthenticatedFile(
            folder: folder.path, name: "applications", kind: DigestCache.fileKind, version: 1, limit: 100,
            key: Bench.key, system: LinuxCalls())
        try cache.write([0x80])
        #expect(throws: KeychainError(.decode, "")) { try ledger() }
    }

    @Test func laterVersionIsLeftAlone() throws {
        try file(version: ApplicationLedger.fileVersion + 1).write([0x80])
        #expect(throws: KeychainError(.notAvailable, "")) { try ledger() }
    }

    @Test(arguments: [[0x80, 0x80], [0x81, 0x80], [0xA0], [], [0x81, 0x85, 0x61, 0x41, 0x00, 0x00, 0xF6, 0xF6]])
    func authenticNonsense(content: [UInt8]) throws {
        try file().write(content)
        #expect(throws: KeychainError(.decode, "")) { try ledger() }
    }

    @Test func twoRecordsOfOnePath() throws {
        let record = ApplicationRecord(path: "/a", kind: .pinned(one), since: 1, accepted: nil)
        let other = ApplicationRecord(path: "/a", kind: .pinned(two), since: 1, accepted: nil)
        try file().write(ApplicationLedger.encoded([record, other]))
        #expect(throws: KeychainError(.decode, "")) { try ledger() }
    }

    @Test func fullLedgerForgetsNothing() throws {
        let longest = String(repeating: "x", count: ApplicationLedger.longestPath - 6)
        let records = (1000..<(1000 + ApplicationLedger.maximumRecords)).map {
            ApplicationRecord(path: "/\($0)/" + longest, kind: .pinned(one), since: .max, accepted: .max)
        }
        let encoded = ApplicationLedger.encoded(records)
        #expect(encoded.count <= ApplicationLedger.fileLimit)
        try file().write(encoded)
        let ledger = try ledger()
        #expect(ledger.list() == records)
        #expect(throws: KeychainError(.notAvailable, "")) { try ledger.pin("/new", digest: one) }
        #expect(ledger.evaluate("/new", digest: one) == .unknown)
        try ledger.forget(records[7].path)
        try ledger.pin("/new", digest: one)
        #expect(throws: KeychainError(.notAvailable, "")) { try ledger.pin("/newer", digest: one) }
    }

    @Test func tooLongAPath() throws {
        let ledger = try ledger()
        #expect(throws: KeychainError.self) {
            try ledger.pin("/" + String(repeating: "x", count: ApplicationLedger.longestPath), digest: one)
        }
        #expect(ledger.list().isEmpty)
    }

    @Test(arguments: [
        (FakeSystem.Call.write, Errno.noSpace, Status.notAvailable), (.synchronize, Errno(EIO), .notAvailable),
        (.open, .readOnly, .readOnly), (.rename, .noAccess, .notAvailable),
    ])
    func whatIsNotDurableDidNotHappen(call: FakeSystem.Call, errno: Errno, status: Status) throws {
        let system = FakeSystem { made, path in made == call && (call != .open || path.hasSuffix(".new")) ? errno : nil
        }
        let ledger = try ledger(system)
        #expect(throws: KeychainError(status, "")) { try ledger.pin("/a", digest: one) }
        #expect(ledger.evaluate("/a", digest: one) == .unknown)
        #expect(ledger.generation == 0)
        #expect(try self.ledger().list().isEmpty)
    }

    @Test func manyThreads() throws {
        let ledger = try ledger()
        let digest = one
        DispatchQueue.concurrentPerform(iterations: 60) { index in
            try? ledger.pin("/\(index % 20)", digest: digest)
            _ = ledger.evaluate("/\(index)", digest: digest)
        }
        #expect(ledger.list().count == 20)
        #expect(ledger.generation == 20)
        #expect(try self.ledger().list() == ledger.list())
    }

    private func ledger(_ system: any SystemCalls = LinuxCalls(), homes: [String] = []) throws -> ApplicationLedger {
        try ApplicationLedger(folder: folder.path, key: Bench.key, user: getuid(), homes: homes, system: system)
    }

    private func file(version: UInt32 = ApplicationLedger.fileVersion) -> AuthenticatedFile {
        AuthenticatedFile(
            folder: folder.path, name: "applications", kind: ApplicationLedger.fileKind, version: version,
            limit: ApplicationLedger.fileLimit, key: Bench.key, system: LinuxCalls())
    }
}
