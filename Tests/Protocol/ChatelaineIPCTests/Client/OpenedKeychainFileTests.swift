import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

@testable import ChatelaineIPC

/// What a program opens for securityd, with its own rights.
@Suite struct OpenedKeychainFileTests {
    private static let nobody: uid_t = 65534
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/ci.keychain-db"
        try Data("content".utf8).write(to: URL(fileURLWithPath: path))
        if geteuid() == 0 {
            for name in [folder.path, path] { try #require(chown(name, Self.nobody, Self.nobody) == 0) }
        }
    }

    private func access() throws -> Int32 {
        try OpenedKeychainFile(path).withDescriptors { descriptors in fcntl(descriptors[0], F_GETFL) & O_ACCMODE }
    }

    /// Runs `body` without the right of root to write to every file; on this thread alone (setfsuid(2)).
    private func asNobody<Answer>(_ body: () throws -> Answer) throws -> Answer {
        guard geteuid() == 0 else { return try body() }
        // Swift's Glibc has no declaration.
        let symbol = try #require(dlsym(nil, "setfsuid"))
        // SAFETY: the function takes and returns a number (setfsuid(2)).
        let become = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> CInt).self)
        _ = become(Self.nobody)
        defer { _ = become(0) }
        return try body()
    }

    @Test func aFileIsOpenedToBeWritten() throws { #expect(try asNobody { try access() } == O_RDWR) }

    @Test func oneThatMayOnlyBeReadIsOpenedToBeRead() throws {
        try #require(chmod(path, 0o400) == 0)
        #expect(try asNobody { try access() } == O_RDONLY)
    }

    @Test func oneThatMayNotBeReadIsNotOpened() throws {
        try #require(chmod(path, 0o200) == 0)
        #expect(throws: KeychainError.self) { try asNobody { try access() } }
    }

    @Test func aFolderThatMayNotBeChangedIsToldBefore() throws {
        try asNobody { try KeychainFilePlace(path).requireChangeableFolder() }
        try #require(chmod(folder.path, 0o500) == 0)
        #expect(throws: KeychainError.self) { try asNobody { try KeychainFilePlace(path).requireChangeableFolder() } }
    }

    @Test func noneIsMadeThatCanOnlyBeRead() throws {
        try #require(chmod(folder.path, 0o500) == 0)
        #expect(throws: KeychainError.self) { try asNobody { _ = try OpenedKeychainFile(new: path + "-new") } }
        #expect(!FileManager.default.fileExists(atPath: path + "-new"))
    }

    /// securityd may have made the keychain, and have failed at something else.
    @Test func aWholeKeychainIsNotRemoved() throws {
        let new = path + "-new"
        for (content, isKept) in [("", false), ("Chkw and a check-out", false), ("SQLite format 3\0...", true)] {
            let file = try OpenedKeychainFile(new: new)
            try Data(content.utf8).write(to: URL(fileURLWithPath: new), options: [])
            file.remove()
            #expect(FileManager.default.fileExists(atPath: new) == isKept, "\(content)")
        }
    }
}
