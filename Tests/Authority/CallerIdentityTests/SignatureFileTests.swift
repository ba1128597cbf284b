import ChatelaineModel
import ChatelaineSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CallerIdentity

/// Signature files that are put there to delay or to deceive the daemon do neither.
@Suite(.enabled(if: Bench.isRoot, Bench.needsRoot))
struct SignatureFileTests {
    private let home: SignedHome
    private let path: String
    private var signature: String { path + ".codesig" }

    init() throws {
        home = try SignedHome()
        try home.trust()
        path = try home.programs.program(owner: Bench.user)
    }

    private func identity() throws -> Identity { try home.run(path).identity() }

    private func giveToUser(_ path: String) throws {
        try #require(lchown(path, Bench.user, Bench.user) == 0)
    }

    @Test func aPipeIsNotRead() throws {
        try #require(mkfifo(signature, 0o644) == 0)
        try giveToUser(signature)
        #expect(try identity().defect == .unreadable)
        #expect(home.verifier.count == 0)
    }

    @Test func neitherIsADeviceNorAFolder() throws {
        // The device 1, 3 is /dev/null.
        try #require(mknod(signature, S_IFCHR | 0o666, 1 << 8 | 3) == 0)
        #expect(try identity().defect == .unreadable)
        try #require(unlink(signature) == 0)
        try SignedHome.makeFolder(signature)
        #expect(try identity().defect == .unreadable)
        #expect(home.verifier.count == 0)
    }

    /// A link to a genuine signature is refused, because its target may be anything the next time.
    @Test func aSymbolicLinkIsNotFollowed() throws {
        try home.sign(path)
        try #require(rename(signature, path + ".real") == 0 && symlink(path + ".real", signature) == 0)
        try giveToUser(signature)
        #expect(try identity().defect == .unreadable)
        #expect(home.verifier.count == 0)
    }

    /// A hard link is the same file under two names, and its content counts.
    @Test func aHardLinkIsAFile() throws {
        try home.sign(path)
        try #require(link(signature, path + ".other") == 0)
        #expect(try identity().state == .signed)
        // Beside another program the signature is for other bytes.
        let other = try home.programs.program("other", padding: "x", owner: Bench.user)
        try #require(link(signature, other + ".codesig") == 0)
        #expect(try home.run(other).identity().defect == .wrongDigest)
    }

    @Test func aHugeFileIsNotRead() throws {
        for count in [SignatureLimits.maximumFileBytes, SignatureLimits.maximumFileBytes + 1, 1 << 33] {
            try SignedHome.write("", to: signature)
            try #require(truncate(signature, off_t(count)) == 0)
            #expect(
                try identity().defect == (count > SignatureLimits.maximumFileBytes ? .tooLarge : .malformed))
        }
        #expect(home.verifier.count == 1)
    }

    /// The file is replaced, then rewritten, while it is read. The next read sees one whole version.
    @Test func aFileThatIsReplacedIsLookedAtAgain() throws {
        let rounds = Mutex(0)
        let signature = signature
        let home = try SignedHome { call, name in
            guard call == .open, name.hasPrefix("/proc/self/fd/") else { return nil }
            var status = stat()
            guard stat(name, &status) == 0, status.st_size < 1000 else { return nil }
            let round = rounds.withLock { rounds in
                rounds += 1
                return rounds
            }
            // The file is written between its status and its read.
            if round < 3 { try? Data("round \(round)".utf8).write(to: URL(fileURLWithPath: name)) }
            return nil
        }
        try home.trust()
        let path = try home.programs.program(owner: Bench.user)
        try SignedHome.write("nonsense", to: path + ".codesig")
        _ = signature
        #expect(try home.run(path).identity().defect == .malformed)
        #expect(
            home.verifier.questions.withLock { $0.map { String(decoding: $0.signature, as: UTF8.self) } } == ["round 2"]
        )
    }

    /// The daemon does not wait for a file that never stops changing.
    @Test func aFileThatIsWrittenAllTheTimeIsUnreadable() throws {
        let home = try SignedHome { call, name in
            guard call == .open, name.hasPrefix("/proc/self/fd/") else { return nil }
            var status = stat()
            guard stat(name, &status) == 0, status.st_size < 1000 else { return nil }
            try? Data(String(repeating: "x", count: Int(status.st_size) % 100 + 1).utf8)
                .write(to: URL(fileURLWithPath: name))
            return nil
        }
        let path = try home.programs.program(owner: Bench.user)
        try SignedHome.write("nonsense", to: path + ".codesig")
        #expect(try home.run(path).identity().defect == .unreadable)
    }

    /// In a folder where anybody may make files, another user's file does not keep a program from its items.
    @Test func somebodyElsesFileIsNone() throws {
        try #require(chmod(home.programs.path, 0o1777) == 0)
        try SignedHome.write("nonsense", to: signature)
        try #require(chown(signature, Bench.user + 1, Bench.user + 1) == 0)
        #expect(try identity().identifier == AccessGroup("pinned:\(path)"))
        for owner in [0, Bench.user] {
            try #require(chown(signature, owner, owner) == 0)
            #expect(try identity().defect == .malformed)
        }
    }

    /// Nothing is requested from a file system of a user. For a mount over the file, only the mount is checked.
    @Test func aFileOnAFileSystemOfAUsersIsNotLookedAt() throws {
        try SignedHome.write("nonsense", to: signature)
        let real = IdentitySystemCalls.system
        let key = try real.files.status(at: signature, in: AT_FDCWD).key
        var calls = home.system.calls
        let mounted = Mutex<Int32>(-1)
        calls.files.openat = { folder, path, mode throws(Errno) in
            let file = try real.files.openat(folder, path, mode)
            if (try? real.files.knownStatus(of: file).key) == key { mounted.withLock { $0 = file } }
            return file
        }
        calls.files.statx = { file throws(Errno) in
            guard mounted.withLock({ $0 != file }) || (try? real.files.statx(file).key) != key else {
                throw Errno(EIO)
            }
            return try real.files.statx(file)
        }
        calls.isProvided = { _ in mounted.withLock { $0 >= 0 && (try? real.files.statx($0).key) == key } }
        let finder = SignatureFinder(places: home.judge.configuration.places, system: calls)
        let folder = try real.files.open(home.programs.path, in: AT_FDCWD, .look)
        let canonical = try #require(CanonicalPath(path))
        guard
            case .defect(.unreadable, _, let detail) = finder.beside(
                canonical, in: folder.number, ownedBy: Bench.user, for: Bench.user)
        else {
            Issue.record("it was looked at")
            return
        }
        #expect(detail == "it is not on a local disk")
    }

    @Test func aLongNameHasNoSignature() throws {
        let long = try home.programs.program(String(repeating: "n", count: 255), owner: Bench.user)
        #expect(try home.run(long).identity().identifier == AccessGroup("pinned:\(long)"))
    }

    // MARK: What is root's

    /// A file in root's place that others could have written does not count as root's.
    @Test(arguments: ["owner", "mode", "folder", "link", "pipe"])
    func whatIsNotRootsIsUnusable(what: String) throws {
        try home.sign(path)
        let file = home.root("teams/\(SignedHome.team).pem")
        switch what {
        case "owner": try #require(chown(file, Bench.user, 0) == 0)
        case "mode": try #require(chmod(file, 0o666) == 0)
        case "folder": try #require(chmod(home.root("teams"), 0o777) == 0)
        case "link":
            try #require(rename(file, home.root("real")) == 0 && symlink(home.root("real"), file) == 0)
        default: try #require(unlink(file) == 0 && mkfifo(file, 0o644) == 0)
        }
        home.lookAgain()
        #expect(try identity().defect == .unreadable)
        // The user's own anchor does not replace root's, because root has stated one.
        let record = TeamRecord(home.report(key: 2).report)
        try home.bench.ledger.carryOut(.addTeam(record))
        #expect(try identity().defect == .unreadable)
    }

    @Test func aSignatureInRootsFolderThatIsNotRootsRefuses() throws {
        let place = home.root("signatures/\(try home.digest(of: path)).codesig")
        try home.sign(path, at: place)
        #expect(try identity().state == .signed)
        try #require(chown(place, Bench.user, 0) == 0)
        #expect(try identity().defect == .unreadable)
    }

    /// Nobody knows which programs root has listed there, so every program is rejected, signed or not.
    @Test(arguments: ["file", "link"])
    func aFolderOfSignaturesThatIsNoneRefuses(what: String) throws {
        try home.sign(path)
        let unsigned = try home.programs.program("unsigned", owner: Bench.user)
        TemporaryFolder.remove(home.root("signatures"))
        if what == "file" { try SignedHome.write("", to: home.root("signatures")) }
        if what == "link" { try #require(symlink("/nowhere", home.root("signatures")) == 0) }
        home.lookAgain()
        #expect(try identity().defect == .unreadable)
        #expect(try home.run(unsigned).identity().defect == .unreadable)
        // The problem is also reported.
        #expect(home.judge.problems.folder != nil)
        for path in [path, unsigned] { #expect(try home.bench.resolver.judgement(of: path).state == .rejected) }
    }

    @Test func missingFoldersSayNothing() throws {
        try home.sign(path)
        for name in ["teams/\(SignedHome.team).pem", "teams", "signatures", ""] {
            TemporaryFolder.remove(home.root(name))
        }
        home.lookAgain()
        #expect(try identity().defect == .unknownTeam)
        #expect(home.judge.problems == (nil, nil) && home.judge.teams(home.bench.ledger).isEmpty)
    }
}
