import ChatelaineSystem
import Foundation
import TestSupport
import Testing

@testable import CallerIdentity

/// Nothing is requested from files on file systems that users' programs serve.
struct ServedByAUserTests {
    private static let table = """
        22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
        31 22 0:27 / /home/me/my\\040files rw,nosuid,nodev shared:9 - fuse.sshfs me@there: rw,user_id=1000,group_id=1000
        32 22 0:28 / /mnt/root rw - fuse root rw,user_id=0,group_id=0,allow_other
        33 22 8:1 / /mnt/stick rw master:2 propagate_from:3 - fuseblk /dev/sda1 rw,user_id=1000,group_id=1000
        34 22 0:29 / /net rw - nfs4 server:/ rw
        35 22 0:30 / /fuse.d rw - tmpfs fuse rw,user_id=1000
        36 22 0:31 / /cut rw
        nonsense

        """

    @Test func mountsOfUsers() {
        let mounts = MountTable.mounts(in: Array(Self.table.utf8))
        #expect(mounts == [22: false, 31: true, 32: false, 33: true, 34: false, 35: false, 36: true])
    }

    @Test func plainFilesAndFoldersAreReadable() throws {
        let folder = try TemporaryFolder()
        let file = Descriptor(open("\(folder.path)/file", O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
        let place = Descriptor(open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        #expect(LocalFile.isReadable(file.number) && LocalFile.isReadable(place.number))
        let null = Descriptor(open("/dev/null", O_RDWR | O_CLOEXEC))
        var pipe: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&pipe) == 0)
        let ends = [pipe[0], pipe[1], socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)]
        defer { ends.forEach { close($0) } }
        #expect(!LocalFile.isReadable(null.number) && !LocalFile.isReadable(-1))
        for end in ends { #expect(!LocalFile.isReadable(end)) }
    }

    @Test func ownMountsAreKnownAndOthersAreNot() throws {
        let system = IdentitySystemCalls.system
        let root = try system.files.open("/proc", in: AT_FDCWD, .look)
        #expect(try !MountTable.own.isProvided(ProcessFacts.mount(of: root.number, system: system)))
        // No mount has this number, since it needs more bits than the kernel counts.
        #expect(try MountTable.own.isProvided(.max))
    }

    /// Only the kernel's own knowledge about such files is used: no status, access lists, names or bytes.
    @Test(.enabled(if: Bench.isRoot, Bench.needsRoot))
    func onlyADeclarationHelps() throws {
        let folder = try TemporaryFolder(isRootOnly: false, owner: Bench.user)
        let child = try Child([try folder.program(owner: Bench.user)], uid: Bench.user)
        try #require(child.answers())
        let system = FakeSystem(isProvided: true) { call, path in
            switch call {
            case .accessList, .fileSystem: Errno(EIO)
            case .open
            where !path.hasPrefix("/") && !["exe", "ns/user", "ns/mnt", "root", "status", "stat"].contains(path):
                Errno(EIO)
            default: nil
            }
        }
        let bench = try Bench(system: system.calls)
        #expect(try bench.refusal(of: child) == .remoteFileSystem)
        try bench.ledger.develop(folder.path)
        #expect(try bench.identify(child).identifier == "dev:\(folder("app"))")
        try #require(unlink(folder("app")) == 0)
        #expect(try bench.refusal(of: child) == .deleted)
    }

    @Test func pathsEndWhereSuchAFileSystemBegins() throws {
        let error = #expect(throws: Errno.self) {
            _ = try FollowedPath("/usr", system: FakeSystem(isProvided: true).calls).path
        }
        #expect(error == .remote)
        #expect(try FollowedPath("/", system: FakeSystem(isProvided: true).calls).path == "/")
    }

    @Test func linksAreFollowed() throws {
        let folder = try TemporaryFolder(isRootOnly: false)
        let system = IdentitySystemCalls.system
        try FileManager.default.createDirectory(atPath: folder("a/b"), withIntermediateDirectories: true)
        symlink("b/../b", folder("a/relative"))
        symlink(folder("a"), folder("absolute"))
        symlink("loop", folder("loop"))
        let path = folder("absolute/./relative//") + ".././b"
        #expect(try FollowedPath(path, system: system).path.text == folder("a/b"))
        #expect(throws: Errno(ELOOP)) { _ = try FollowedPath(folder("loop"), system: system).path }
        #expect(throws: Errno.notFound) { _ = try FollowedPath(folder("missing/.."), system: system).path }
        #expect(try FollowedPath("/../..", system: system).path == "/")
    }
}
