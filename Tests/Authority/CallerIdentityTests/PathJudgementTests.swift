import ChatelaineModel
import ChatelaineSystem
import Foundation
import TestSupport
import Testing

@testable import CallerIdentity

/// The place of an executable decides how it is identified.
@Suite(.enabled(if: Bench.isRoot, Bench.needsRoot))
struct PathJudgementTests {
    @Test func rootOnlyProgramIsKnownByItsPath() throws {
        let identity = try Bench().identify(["/usr/bin/cat"])
        #expect(identity.identifier == "path:/usr/bin/cat")
        #expect(identity.assurance == .file)
        #expect(identity.state == .rootOnly)
        #expect(identity.digest == nil)
        #expect(identity.refusal == nil)
        #expect(identity.hints == [])
    }

    /// A program that runs for another user, even root, is not identified.
    @Test(arguments: [0, Bench.user + 1])
    func programsOfOthersAreNotIdentified(user: uid_t) throws {
        let bench = try Bench()
        let child = try Child(["/usr/bin/cat"], uid: Bench.user)
        try #require(child.answers())
        #expect(try bench.identify(child).principal == Principal(user: Bench.user, application: "path:/usr/bin/cat"))
        let snapshot = try ExecutableSnapshot(of: child.handle(bench.resolver.system, user: user))
        do {
            let identity = try bench.resolver.identify(snapshot)
            Issue.record("\(identity)")
        } catch { #expect(error.reason == .otherUser) }
    }

    @Test func ownProgramIsKnownByItsDigest() throws {
        let folder = try TemporaryFolder(isRootOnly: false, owner: Bench.user)
        let path = try folder.program(owner: Bench.user)
        let identity = try Bench().identify([path])
        #expect(identity.identifier == "pinned:\(path)")
        #expect(identity.state == .unknown)
        #expect(identity.digest != nil)
    }

    @Test func ownFolderSpoilsRootsProgram() throws {
        let folder = try TemporaryFolder(isRootOnly: true, owner: Bench.user)
        #expect(try Bench().identify([try folder.program()]).identifier.text.hasPrefix("pinned:"))
    }

    @Test func stickyWorldWritableFolderSpoilsRootsProgram() throws {
        let folder = try TemporaryFolder(isRootOnly: true)
        chmod(folder.path, 0o1777)
        #expect(try Bench().identify([try folder.program()]).identifier.text.hasPrefix("pinned:"))
    }

    @Test(arguments: [(0o755, 0, true), (0o775, 0, true), (0o775, 20_001, false), (0o757, 0, false), (0o555, 0, true)])
    func groupsThatMayWrite(mode: Int, group: Int, isRootOnly: Bool) throws {
        let folder = try TemporaryFolder(isRootOnly: true)
        let path = try folder.program()
        try #require(chown(path, 0, gid_t(group)) == 0 && chmod(path, mode_t(mode)) == 0)
        #expect((try Bench().identify([path]).state == .rootOnly) == isRootOnly)
    }

    @Test func accessListSpoilsRootsProgram() throws {
        let folder = try TemporaryFolder(isRootOnly: true)
        let path = try folder.program()
        // Version 2: owner rwx, user 20001 rwx, group r-x, mask rwx, others r-x (acl(5), in the kernel's layout).
        var list: [UInt8] = [2, 0, 0, 0]
        for (tag, rights, id) in [(1, 7, -1), (2, 7, 20_001), (4, 5, -1), (16, 7, -1), (32, 5, -1)] {
            for value in [UInt16(tag), UInt16(rights)] { withUnsafeBytes(of: value.littleEndian) { list += $0 } }
            withUnsafeBytes(of: UInt32(bitPattern: Int32(id)).littleEndian) { list += $0 }
        }
        typealias SetXattr =
            @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32) -> Int32
        let setxattr = unsafeBitCast(try #require(dlsym(nil, "setxattr")), to: SetXattr.self)
        guard setxattr(path, "system.posix_acl_access", list, list.count, 0) == 0 else {
            try Test.cancel("SKIPPED: the file system of /var/lib knows no access lists")
        }
        #expect(try Bench().identify([path]).identifier.text.hasPrefix("pinned:"))
    }

    @Test func unknownAccessListCountsAsOne() throws {
        let bench = try Bench(system: FakeSystem { call, _ in call == .accessList ? Errno(EIO) : nil }.calls)
        #expect(try bench.identify(["/usr/bin/cat"]).identifier == "pinned:/usr/bin/cat")
    }

    @Test func storesThatUsersFillAreNotRootOnly() throws {
        let existed = FileManager.default.fileExists(atPath: "/gnu")
        guard !existed else { try Test.cancel("SKIPPED: this machine has a store of its own in /gnu") }
        try FileManager.default.createDirectory(atPath: "/gnu/store", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: "/gnu") }
        try TemporaryFolder.copyProgram(to: "/gnu/store/tool")
        #expect(try Bench().identify(["/gnu/store/tool"]).identifier == "pinned:/gnu/store/tool")
    }

    @Test func pathsInCommandsAreQuoted() {
        #expect(ShellWord.quoted("/a/b-1.2_c+x") == "/a/b-1.2_c+x")
        #expect(ShellWord.quoted("/My App/$x") == "'/My App/$x'")
        #expect(ShellWord.quoted("/it's") == "'/it'\\''s'")
    }

    @Test func symbolicLinkLeadsToTheProgram() throws {
        let folder = try TemporaryFolder(isRootOnly: false)
        symlink("/usr/bin/cat", folder("trusted"))
        #expect(try Bench().identify([folder("trusted")]).identifier == "path:/usr/bin/cat")
    }

    @Test func hardLinkIsAnotherProgram() throws {
        let folder = try TemporaryFolder(isRootOnly: true)
        let path = try folder.program()
        try FileManager.default.createDirectory(atPath: folder("open"), withIntermediateDirectories: false)
        chmod(folder("open"), 0o777)
        try #require(link(path, folder("open/link")) == 0)
        let bench = try Bench()
        #expect(try bench.identify([folder("open/link")]).identifier == "pinned:\(folder("open/link"))")
        #expect(try bench.identify([path]).identifier == "path:\(path)")
    }

    @Test func nameThatLooksDeletedIsAName() throws {
        let folder = try TemporaryFolder(isRootOnly: false)
        let path = try folder.program("app (deleted)")
        #expect(try Bench().identify([path]).identifier == "pinned:\(path)")
    }

    @Test(arguments: ["a\nb", "a\u{1B}[2Jb", "a\u{202E}b"])
    func namesThatNoListCanShow(name: String) throws {
        let folder = try TemporaryFolder(isRootOnly: false)
        let child = try Child([try folder.program(name)])
        try #require(child.answers())
        #expect(try Bench().refusal(of: child) == .unprintablePath)
    }

    @Test(arguments: [0x6573_5546 as UInt64, 0x6969, 0xFF53_4D42, 0x0102_1997])
    func remoteFileSystemsNeedADeclaration(magic: UInt64) throws {
        let bench = try Bench(system: FakeSystem(magic: magic).calls)
        let folder = try TemporaryFolder(isRootOnly: false, owner: Bench.user)
        let child = try Child([try folder.program(owner: Bench.user)], uid: Bench.user)
        try #require(child.answers())
        #expect(try bench.refusal(of: child) == .remoteFileSystem)
        try bench.ledger.develop(folder.path)
        #expect(try bench.identify(child).identifier == "dev:\(folder("app"))")
        let system = try Child(["/usr/bin/cat"])
        try #require(system.answers())
        #expect(try bench.refusal(of: system) == .remoteFileSystem)
    }

    @Test func hugeProgramIsRefused() throws {
        let folder = try TemporaryFolder(isRootOnly: false)
        let path = try folder.program()
        try #require(truncate(path, off_t(DigestCache.largestExecutable) + 1) == 0)
        let child = try Child([path])
        try #require(child.answers())
        #expect(try Bench().refusal(of: child) == .tooLarge)
    }

    @Test(arguments: [
        "cat", "bash-completion", "pythonista", "nodemon", "shfmt", "javaws-helper", "rubymine", "lddtree",
        "perlbrew-ng",
        "fishnet", "securityd", "x86_64-linux-gnu-gcc-12", "perlbrew-x86_64-linux-gnu", "linux-perl",
    ])
    func ordinaryNames(name: String) { #expect(!SharedPrograms.contains(name)) }

    @Test(arguments: [
        "python3", "python3.11", "python3.11-dbg", "python2.7", ".python3-wrapped", "perl", "perl5.36.0", "ruby3.1",
        "node",
        "node-18.2", "lua5.4", "php8.2", "bash", "dash", "busybox", "toybox", "coreutils", "java", "gdb",
        "gdb-multiarch",
        "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "ld-musl-x86_64.so.1", "ld-2.31.so", "libc.so",
        "qemu-x86_64-static",
        "guile-3.0", "tclsh8.6", "R", "perl5.36-x86_64-linux-gnu", "memcheck-amd64-linux", "massif-arm64-linux",
        "bsd-csh",
    ])
    func namesOfProgramsThatRunAnything(name: String) { #expect(SharedPrograms.contains(name)) }
}
