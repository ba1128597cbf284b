import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import FileKeychains
import Glibc
import Synchronization
@testable import SystemCalls
import TestSupport
import Testing

@testable import SecurityServer

/// A lent file of a keychain elsewhere waits for the request that uses it, for a limited time and in limited numbers.
@Suite struct LendingTests {
    private let folder: TemporaryFolder
    private let registry: FileKeychainRegistry
    private let now: Now

    /// The seconds of a clock that the test sets.
    private final class Now: Sendable {
        let seconds = Mutex(1000.0)
    }

    init() throws {
        folder = try TemporaryFolder()
        for name in ["data", "state", "build"] { try #require(mkdir("\(folder.path)/\(name)", 0o700) == 0) }
        let now = Now()
        self.now = now
        let log = Log(file: folder.path + "/log")
        let enclave = EnclaveConnection(
            launcher: CustodianProcesses(stateFolder: folder.path + "/enclave"), log: log)
        registry = .test(in: folder.path, enclave, log) { now.seconds.withLock { $0 } }
    }

    private func path(_ name: String) throws -> KeychainPath { try registry.path("\(folder.path)/build/\(name)") }

    private func open(_ name: String) -> Descriptor {
        Descriptor(Glibc.open("\(folder.path)/build/\(name)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
    }

    /// Lends the file of this name.
    private func lend(_ name: String, as path: KeychainPath? = nil) throws {
        let parent = Descriptor(Glibc.open("\(folder.path)/build", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        try registry.lend(open(name), parent, at: try path ?? self.path(name))
    }

    private func isLent(_ name: String) throws -> Bool {
        try registry.withKeychain(at: try path(name)) { (keychain) throws(KeychainError) in keychain.lentFile != nil }
    }

    @Test func aFileThatNobodyComesForIsClosed() throws {
        try lend("a")
        #expect(try isLent("a") && registry.count == 1)
        #expect(registry.nextDeadline == 1000 + FileKeychainSlot.secondsLent)
        registry.lockIdle()
        #expect(registry.count == 1)
        now.seconds.withLock { $0 += FileKeychainSlot.secondsLent }
        registry.lockIdle()
        #expect(registry.count == 0 && registry.nextDeadline == nil)
    }

    @Test func theOldestMakesRoom() throws {
        for number in 1...FileKeychainRegistry.maximumLent {
            now.seconds.withLock { $0 += 1 }
            try lend("\(number)")
        }
        try lend("more")
        #expect(registry.count == FileKeychainRegistry.maximumLent)
        #expect(try !isLent("1") && isLent("2") && isLent("more"))
    }

    @Test func itIsTheFileThatStandsThere() throws {
        _ = open("a")
        #expect(throws: KeychainError(.invalidKeychain, "")) { try lend("b", as: try path("a")) }
        let gone = try path("gone")
        #expect(throws: KeychainError.self) { try lend("b", as: gone) }
        let own = try registry.path("\(folder.path)/data/keychains/a-db")
        #expect(throws: KeychainError(.param, "")) { try lend("b", as: own) }
        #expect(registry.count == 0)
    }

    /// `$PWD/a` of a shell that went through a link, and `./a`, which a program resolves, are one keychain.
    @Test func aKeychainInUseIsFoundByAnyPathOfIt() throws {
        try lend("a")
        try lend("b")
        try #require(symlink("build", "\(folder.path)/way") == 0)
        func path(by name: String) throws -> String {
            try registry.withKeychain(at: try registry.path("\(folder.path)/\(name)")) { $0.path.text }
        }
        #expect(try path(by: "way/a") == "\(folder.path)/build/a")
        #expect(try path(by: "way/b") == "\(folder.path)/build/b")
        #expect(try path(by: "way/c") == "\(folder.path)/way/c" && registry.count == 2)
        // A name of its own is another keychain, which has to be locked apart.
        try #require(link("\(folder.path)/build/a", "\(folder.path)/build/h") == 0)
        #expect(try path(by: "build/h") == "\(folder.path)/build/h")
        // Another file in the place of the one in use is no such path.
        try #require(rename("\(folder.path)/build/a", "\(folder.path)/build/c") == 0)
        #expect(try path(by: "way/c") == "\(folder.path)/way/c")
    }

    @Test func pathsAreLookedAtWithoutLinksAtTheirEnd() throws {
        let own = [folder.path + "/data", folder.path + "/state", folder.path + "/missing"]
        func look(_ name: String) throws -> FileIdentity? {
            try FileKeychainPlaces.file(at: "\(folder.path)/\(name)", outside: own)
        }
        _ = open("a")
        let identity = try #require(FileIdentity(at: "\(folder.path)/build/a"))
        #expect(try look("build/a") == identity)
        #expect(try look("build/none") == nil && look("none/a") == nil && look("build/a/b") == nil)
        try #require(symlink("build", "\(folder.path)/way") == 0)
        #expect(try look("way/a") == identity, "links of folders are followed")
        try #require(symlink("a", "\(folder.path)/build/link") == 0)
        #expect(throws: KeychainError(.invalidKeychain, "")) { try look("build/link") }
        for name in ["a\nb", "a\tb", "a\u{202E}b"] {
            _ = open(name)
            #expect(throws: KeychainError(.param, "")) { try look("build/\(name)") }
        }
        _ = Descriptor(Glibc.open("\(folder.path)/data/x", O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
        #expect(throws: KeychainError(.invalidKeychain, "")) { try look("data/x") }
        try #require(symlink("../data", "\(folder.path)/build/inside") == 0)
        #expect(throws: KeychainError(.invalidKeychain, "")) { try look("build/inside/x") }
    }
}
