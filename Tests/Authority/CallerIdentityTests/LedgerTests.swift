import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CallerIdentity

/// Decisions are durable, exact and never widened by accident.
struct LedgerTests {
    private let folder: TemporaryFolder
    private let one: ExecutableDigest
    private let two: ExecutableDigest

    init() throws {
        folder = try TemporaryFolder(isRootOnly: false)
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
        #expect(try ledger.develop(folder("link/") + "debug/..").text == folder("build"))
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
        // A genuine file of another kind is not a ledger.
        let other = AuthenticatedFile(
            folder: folder.path, name: "applications", kind: "CHTLTEST", version: 1, limit: 100, key: Bench.key,
            files: .system)
        try other.write([0x80])
        #expect(throws: KeychainError(.decode, "")) { try ledger() }
    }

    /// Records of versions 1 and 2: an accepted program, and another one in development.
    private func formerRecords() -> [UInt8] {
        var writer = CBORWriter()
        writer.writeArray(count: 2)
        writer.writeArray(count: 5)
        writer.write("/a")
        writer.write(0)
        writer.write(1)
        writer.write(2)
        writer.write(one.bytes)
        writer.writeArray(count: 5)
        writer.write("/b")
        writer.write(2)
        writer.write(1)
        writer.writeNull()
        writer.writeNull()
        return writer.finishArray()
    }

    /// Without a passcode everything in a former list counts. The first passcode confirms it as it is.
    @Test func secondVersionIsReadAndWrittenAnew() throws {
        let file = AuthenticatedFile(
            folder: folder.path, name: "applications", kind: ApplicationLedger.fileKind,
            version: ApplicationLedger.unendorsedVersion, limit: 1000, key: Bench.key, files: .system)
        try file.write([0x82, 0x07] + formerRecords())
        let ledger = try ledger()
        #expect(ledger.generation == 8)
        #expect(ledger.evaluate("/a", digest: one) == .pinned && ledger.evaluate("/b", digest: one) == .development)
        #expect(ledger.claim == nil)
        #expect(try self.ledger().list() == ledger.list())
        ledger.settle(needsEndorsement: true, isEndorsed: false)
        #expect(ledger.evaluate("/a", digest: one) == .changed && ledger.evaluate("/b", digest: one) == .unknown)
    }

    /// In a list from before there were teams, signed bytes stay signed.
    @Test func thirdVersionIsReadAndWrittenAnew() throws {
        let file = AuthenticatedFile(
            folder: folder.path, name: "applications", kind: ApplicationLedger.fileKind,
            version: ApplicationLedger.teamlessVersion, limit: 1000, key: Bench.key, files: .system)
        // [["/b", 1, 1, null, null, true]], and its SHA-256.
        let records: [UInt8] = [0x81, 0x86, 0x62, 0x2F, 0x62, 0x01, 0x01, 0xF6, 0xF6, 0xF5]
        let signed = Bytes32(
            hexadecimal: Array("35cbebd9cdc569fec6db8b004c9ccd28620f335df929bc4c0674c3439b884533".utf8))
        let endorsement = Endorsement(number: 3, signature: [UInt8](repeating: 9, count: Endorsement.signatureBytes))
        var writer = CBORWriter(capacity: 100)
        endorsement.encode(to: &writer)
        try file.write([0x83, 0x07] + records + writer.finishArray())
        let ledger = try ledger()
        #expect(ledger.generation == 8 && ledger.teams().isEmpty)
        for ledger in [ledger, try self.ledger()] {
            #expect(ledger.claim?.digest == signed?.array && ledger.claim?.endorsement == endorsement)
            ledger.settle(needsEndorsement: true, isEndorsed: true)
            #expect(ledger.evaluate("/b/x", digest: one) == .development)
        }
    }

    /// A list from before each use had a key of its own.
    private func firstVersion(_ key: SecretBytes) throws -> [UInt8] {
        let file = AuthenticatedFile(
            folder: folder.path, name: "applications", kind: ApplicationLedger.fileKind,
            version: ApplicationLedger.firstVersion, limit: 1000, key: key, files: .system)
        try file.write(formerRecords())
        return Array(try Data(contentsOf: URL(fileURLWithPath: folder("applications"))))
    }

    @Test func firstVersionIsReadOnceUnderItsKey() throws {
        let former = SecretBytes([UInt8](repeating: 0x6B, count: 32))
        let old = try firstVersion(former)
        #expect(throws: KeychainError(.decode, "")) { try ledger() }
        #expect(throws: KeychainError(.decode, "")) { try ledger(formerKey: Bench.key) }
        let upgraded = try ledger(formerKey: former)
        #expect(upgraded.evaluate("/a", digest: one) == .pinned)
        #expect(upgraded.generation == 1)
        // The file now has the present version and its own key.
        #expect(try ledger().list() == upgraded.list())
        try upgraded.pin("/b", digest: two)
        #expect(try ledger().generation == 2)
        // The former file is refused once the ledger knows that it was written anew.
        try Data(old).write(to: URL(fileURLWithPath: folder("applications")))
        #expect(throws: KeychainError(.decode, "")) { try ledger() }
    }

    @Test func firstVersionStaysWhereItCannotBeWrittenAnew() throws {
        let former = SecretBytes([UInt8](repeating: 0x6B, count: 32))
        let old = try firstVersion(former)
        let full = FakeSystem { call, _ in call == .write ? .noSpace : nil }
        #expect(throws: KeychainError(.notAvailable, "")) { try ledger(full.calls, formerKey: former) }
        #expect(Array(try Data(contentsOf: URL(fileURLWithPath: folder("applications")))) == old)
        #expect(try ledger(formerKey: former).list().count == 2)
    }

    @Test func generationsCountSaves() throws {
        let ledger = try ledger()
        #expect(ledger.generation == 0)
        for number in 1...3 {
            try ledger.pin("/\(number)", digest: one)
            #expect(ledger.generation == UInt64(number))
            #expect(try self.ledger().generation == UInt64(number))
        }
    }

    @Test func eachSaveIsToldOnceItIsOnDisk() throws {
        let told = Mutex<[UInt64]>([])
        let ledger = try ApplicationLedger(folder: folder.path, key: Bench.key, formerKey: nil) {
            [path = folder.path] generation in
            let present = try? ApplicationLedger(folder: path, key: Bench.key, formerKey: nil)
            #expect(present?.generation == generation)
            told.withLock { $0.append(generation) }
        }
        for path in ["/a", "/b", "/b"] as [CanonicalPath] { try ledger.pin(path, digest: one) }
        try ledger.forget("/a")
        #expect(told.withLock { $0 } == [1, 2, 3])
    }

    @Test func laterVersionIsLeftAlone() throws {
        try file(version: ApplicationLedger.fileVersion + 1).write([0x80])
        #expect(throws: KeychainError(.notAvailable, "")) { try ledger() }
    }

    @Test(arguments: [
        [0x80, 0x80], [0x81, 0x80], [0xA0], [], [0x80], [0x84, 0x00, 0x80, 0x80, 0xF6],
        [0x84, 0x01, 0x80, 0x80, 0xF6, 0x80], [0x84, 0x20, 0x80, 0x80, 0xF6], [0x83, 0x01, 0x80, 0xF6],
        [0x84, 0x01, 0x80, 0x80], [0x84, 0x01, 0x80, 0x80, 0x82, 0x01, 0x40], [0x84, 0x01, 0x80, 0xF6, 0xF6],
        [0x84, 0x1B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x80, 0x80, 0xF6],
        [0x84, 0x01, 0x81, 0x86, 0x61, 0x41, 0x00, 0x00, 0xF6, 0xF6, 0xF5, 0x80, 0xF6],
        [0x84, 0x01, 0x80, 0x81, 0x88, 0x61, 0x41, 0x40, 0x40, 0x60, 0x00, 0x00, 0x00, 0xF5, 0xF6],
    ])
    func authenticNonsense(content: [UInt8]) throws {
        try file().write(content)
        #expect(throws: KeychainError(.decode, "")) { try ledger() }
    }

    @Test func twoRecordsOfOnePath() throws {
        let record = ApplicationRecord(path: "/a", kind: .pinned(one), since: 1, accepted: nil)
        let other = ApplicationRecord(path: "/a", kind: .pinned(two), since: 1, accepted: nil)
        try file().write(ApplicationLedger.encoded(.init(records: [record, other], generation: 1)))
        #expect(throws: KeychainError(.decode, "")) { try ledger() }
    }

    @Test func fullLedgerForgetsNothing() throws {
        let longest = String(repeating: "x", count: ApplicationLedger.longestPath - 6)
        let records = (1000..<(1000 + ApplicationLedger.maximumRecords)).map {
            ApplicationRecord(path: "/\($0)/\(longest)", kind: .pinned(one), since: .max, accepted: .max)
        }
        let endorsement = Endorsement(number: .max, signature: [UInt8](repeating: 1, count: Endorsement.signatureBytes))
        let teams = (1000..<(1000 + SignatureLimits.maximumTeams)).map { number in
            TeamRecord(
                owner: TeamOwner(team: .test("AAAAAA\(number)"), anchorKey: .filled(1)),
                certificate: [UInt8](repeating: 1, count: SignatureLimits.maximumAnchorBytes),
                subject: String(repeating: "s", count: TeamRecord.longestSubject), validFrom: .min, validUntil: .max,
                since: .max)
        }
        let encoded = ApplicationLedger.encoded(
            .init(records: records, teams: teams, generation: 1 << 62, endorsement: endorsement))
        #expect(encoded.count <= ApplicationLedger.fileLimit)
        try file().write(encoded)
        let ledger = try ledger()
        #expect(ledger.list() == records && ledger.teams() == teams)
        #expect(throws: KeychainError(.notAvailable, "")) { try ledger.pin("/new", digest: one) }
        #expect(ledger.evaluate("/new", digest: one) == .unknown)
        try ledger.forget(records[7].path.text)
        try ledger.pin("/new", digest: one)
        #expect(throws: KeychainError(.notAvailable, "")) { try ledger.pin("/newer", digest: one) }
    }

    @Test func twoNormalFormsAreTwoPaths() throws {
        let ledger = try ledger()
        let composed = folder("caf\u{E9}")
        let decomposed = folder("cafe\u{301}")
        for path in [composed, decomposed] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        try ledger.develop(composed)
        #expect(ledger.evaluate(composed + "/app", digest: one) == .development)
        #expect(ledger.evaluate(decomposed + "/app", digest: one) == .unknown)
        #expect(throws: KeychainError(.itemNotFound, "")) { try ledger.forget(decomposed) }
        try ledger.develop(decomposed)
        #expect(ledger.list().count == 2)
        try ledger.forget(composed)
        for ledger in [ledger, try self.ledger()] {
            #expect(ledger.evaluate(composed + "/app", digest: one) == .unknown)
            #expect(ledger.evaluate(decomposed + "/app", digest: one) == .development)
        }
        // The order is that of bytes: "e" comes before the first byte of "\u{E9}".
        try ledger.pin(composed, digest: one)
        try ledger.pin(decomposed, digest: two)
        #expect(
            try self.ledger().list().map { Array($0.path.text.utf8) }
                == [decomposed, decomposed, composed].map { Array($0.utf8) })
        #expect(try self.ledger().evaluate(composed, digest: one) == .pinned)
        #expect(throws: KeychainError(.itemNotFound, "")) { try ledger.accept(folder("cafe\u{302}"), digest: one) }
    }

    @Test(arguments: ["a", "/a/", "/a//b", "/./a", "/a/..", "//", "", "/a\0b"])
    func whatIsNoCanonicalPath(text: String) { #expect(CanonicalPath(text) == nil) }

    @Test func tooLongAPath() {
        #expect(CanonicalPath("/" + String(repeating: "x", count: CanonicalPath.longest)) == nil)
        #expect(CanonicalPath("/" + String(repeating: "x", count: CanonicalPath.longest - 1)) != nil)
    }

    @Test func pathsAreTakenApartByBytes() {
        // As characters, a combining accent joins the slash before it.
        let path: CanonicalPath = "/home/\u{301}a/\u{301}b"
        #expect(path.components.map { Array($0.utf8) } == ["home", "\u{301}a", "\u{301}b"].map { Array($0.utf8) })
        #expect(Array(path.name.utf8) == Array("\u{301}b".utf8))
        #expect(path.folder == "/home/\u{301}a")
        #expect(path.folder.folder == "/home")
        #expect(path.folder.folder.folder.isRoot)
        #expect(("/home" as CanonicalPath).holds(path))
        #expect(!("/hom" as CanonicalPath).holds(path))
        #expect(!("/home/\u{301}" as CanonicalPath).holds(path))
        #expect(("/" as CanonicalPath).holds(path))
        #expect(path.holds(path))
        #expect(path.without(ending: "b") == "/home/\u{301}a/\u{301}")
        #expect(("/a (deleted)" as CanonicalPath).without(ending: " (deleted)") == "/a")
        #expect(Set<CanonicalPath>(["/caf\u{E9}", "/cafe\u{301}"]).count == 2)
    }

    @Test(arguments: [
        (FakeSystem.Call.write, Errno.noSpace, Status.notAvailable), (.synchronize, Errno(EIO), .ioError),
        (.open, .readOnly, .readOnly), (.rename, .noAccess, .notAvailable),
    ])
    func whatIsNotDurableDidNotHappen(call: FakeSystem.Call, errno: Errno, status: Status) throws {
        let system = FakeSystem { made, path in made == call && (call != .open || path.hasSuffix(".new")) ? errno : nil
        }
        let ledger = try ledger(system.calls)
        #expect(throws: KeychainError(status, "")) { try ledger.pin("/a", digest: one) }
        #expect(ledger.evaluate("/a", digest: one) == .unknown)
        #expect(ledger.generation == 0)
        #expect(try self.ledger().list().isEmpty)
    }

    /// A list whose writing failed but reached the disk no longer counts once another answer was given.
    @Test func whatFailedDoesNotComeBack() throws {
        // The sync after the first rename fails, once.
        let renamings = Mutex(0)
        let ledger = try ledger(
            FakeSystem { call, _ in
                renamings.withLock { renamings in
                    if call == .rename { renamings += 1 }
                    guard call == .synchronize, renamings == 1 else { return nil }
                    renamings += 1
                    return Errno(EIO)
                }
            }.calls)
        #expect(throws: KeychainError(.ioError, "")) { try ledger.pin("/a", digest: one) }
        #expect(ledger.list().isEmpty && !ledger.isSettled)
        #expect(try self.ledger().list().count == 1)
        #expect(throws: KeychainError(.itemNotFound, "")) { try ledger.forget("/a") }
        #expect(ledger.isSettled)
        #expect(try self.ledger().list().isEmpty)
        #expect(try self.ledger().generation == ledger.generation)
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

    private func ledger(
        _ system: IdentitySystemCalls = .system, homes: [String] = [], formerKey: SecretBytes? = nil
    ) throws -> ApplicationLedger {
        try ApplicationLedger(
            folder: folder.path, key: Bench.key, formerKey: formerKey, user: getuid(), homes: homes, system: system)
    }

    private func file(version: UInt32 = ApplicationLedger.fileVersion) -> AuthenticatedFile {
        AuthenticatedFile(
            folder: folder.path, name: "applications", kind: ApplicationLedger.fileKind, version: version,
            limit: ApplicationLedger.fileLimit, key: Bench.key, files: .system)
    }
}
