import ChatelaineMemory
import ChatelaineSystem
import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import CallerIdentity

/// A file is read only if the holder of its key wrote it.
struct AuthenticatedFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder(isRootOnly: false)
        path = folder("file")
    }

    @Test(arguments: [0, 1, 1000]) func comesBack(count: Int) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        #expect(try file().read()?.bytes == nil)
        try file().write(content)
        #expect(try file().read()?.bytes == content)
        #expect(try file(FakeSystem(shortWrites: true).files).read()?.bytes == content)
        try file(FakeSystem(shortWrites: true).files).write(content + [9])
        #expect(try file().read()?.bytes == content + [9])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func everyChangedBitIsSeen() throws {
        try file().write([1, 2, 3])
        let good = try Data(contentsOf: URL(fileURLWithPath: path))
        for bit in 0..<(good.count * 8) {
            var bad = good
            bad[bit / 8] ^= 1 << UInt8(bit % 8)
            try bad.write(to: URL(fileURLWithPath: path))
            #expect(throws: AuthenticatedFileError.self) { try file().read() }
        }
        for length in 0..<good.count {
            try good.prefix(length).write(to: URL(fileURLWithPath: path))
            #expect(throws: AuthenticatedFileError.damaged) { try file().read() }
        }
        try (good + [0]).write(to: URL(fileURLWithPath: path))
        #expect(throws: AuthenticatedFileError.damaged) { try file().read() }
    }

    @Test func otherKeyOtherKindOtherVersion() throws {
        try file().write([1])
        #expect(throws: AuthenticatedFileError.damaged) { try file(key: SecretBytes([1])).read() }
        #expect(throws: AuthenticatedFileError.damaged) { try file(kind: "OTHERKND").read() }
        try file(version: 4).write([1])
        #expect(throws: AuthenticatedFileError.newer(4)) { try file().read() }
    }

    @Test func whatIsNotOurs() throws {
        try file().write([1])
        try #require(rename(path, folder("elsewhere")) == 0)
        symlink(folder("elsewhere"), path)
        #expect(throws: AuthenticatedFileError.io(Errno(ELOOP), "reading", path)) { try file().read() }
        unlink(path)
        mkfifo(path, 0o600)
        #expect(throws: AuthenticatedFileError.notOurs) { try file().read() }
        unlink(path)
        try file().write([2])
        #expect(try file().read()?.bytes == [2])
        if Bench.isRoot {
            chown(path, Bench.user, Bench.user)
            #expect(throws: AuthenticatedFileError.notOurs) { try file().read() }
        }
    }

    @Test func tooLargeIsRefused() throws {
        #expect(throws: AuthenticatedFileError.tooLarge) { try file().write(Array(repeating: 0, count: 2001)) }
        try Data(count: 5000).write(to: URL(fileURLWithPath: path))
        #expect(throws: AuthenticatedFileError.damaged) { try file().read() }
    }

    @Test func everyFailingStepLeavesTheOldContent() throws {
        try file().write([1])
        for call in [FakeSystem.Call.open, .unlink, .write, .rename] {
            let broken = FakeSystem { $0 == call ? .noSpace : ($1 == "" ? nil : nil) }
            #expect(throws: AuthenticatedFileError.io(.noSpace, "writing", path)) {
                try file(broken.files).write([2])
            }
            #expect(try file().read()?.bytes == [1])
        }
        let unsynchronised = FakeSystem { call, _ in call == .synchronize ? Errno(EIO) : nil }
        #expect(throws: AuthenticatedFileError.io(Errno(EIO), "writing", path)) {
            try file(unsynchronised.files).write([2])
        }
        #expect(try file().read()?.bytes == [1])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }

    @Test func draftOfACrashIsOverwritten() throws {
        try Data("half".utf8).write(to: URL(fileURLWithPath: folder("file.new")))
        try file().write([3])
        #expect(try file().read()?.bytes == [3])
        symlink("/etc/passwd", folder("file.new"))
        try file().write([4])
        #expect(try file().read()?.bytes == [4])
    }

    private func file(
        _ files: FileCalls = .system, key: SecretBytes = Bench.key, kind: StaticString = "TESTFILE",
        version: UInt32 = 3
    ) -> AuthenticatedFile {
        AuthenticatedFile(
            folder: folder.path, name: "file", kind: kind, version: version, limit: 2000, key: key, files: files)
    }
}
