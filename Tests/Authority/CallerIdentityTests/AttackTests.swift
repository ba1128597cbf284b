import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import CallerIdentity

/// Programs that pretend to be another program are not identified as that program.
@Suite(.enabled(if: Bench.isRoot, Bench.needsRoot))
struct AttackTests {
    @Test func renamedWhileRunning() throws {
        let folder = try TemporaryFolder(isRootOnly: false)
        let child = try Child([try folder.program()])
        try #require(child.answers())
        let snapshot = try ExecutableSnapshot(of: child.handle())
        try #require(rename(folder("app"), folder("other")) == 0)
        #expect(snapshot.isStillRunning())
        #expect(try Bench().identify(child).identifier == "pinned:\(folder("other"))")
        #expect(throws: Unidentified.self) { try Bench().resolver.identify(snapshot) }
    }

    @Test(arguments: [false, true])
    func deletedOrReplacedWhileRunning(isReplaced: Bool) throws {
        let folder = try TemporaryFolder(isRootOnly: false)
        let child = try Child([try folder.program()])
        try #require(child.answers())
        try #require(unlink(folder("app")) == 0)
        if isReplaced { try folder.program(padding: "new") }
        #expect(try Bench().refusal(of: child) == .deleted)
    }

    @Test func replacedByRename() throws {
        let folder = try TemporaryFolder(isRootOnly: false)
        let child = try Child([try folder.program()])
        try #require(child.answers())
        try folder.program("next", padding: "next")
        try #require(rename(folder("next"), folder("app")) == 0)
        #expect(try Bench().refusal(of: child) == .deleted)
    }

    @Test func upgradedByRootWhileRunning() throws {
        let folder = try TemporaryFolder(isRootOnly: true)
        let child = try Child([try folder.program()], uid: Bench.user)
        try #require(child.answers())
        try folder.program("next", padding: "next")
        try #require(rename(folder("next"), folder("app")) == 0)
        let identity = try Bench().identify(child)
        #expect(identity.identifier == "path:\(folder("app"))")
        #expect(identity.hints == .upgraded)
    }

    @Test func anothersFileDeletedFromARootOnlyFolder() throws {
        let folder = try TemporaryFolder(isRootOnly: true)
        let child = try Child([try folder.program(owner: Bench.user)], uid: Bench.user)
        try #require(child.answers())
        try #require(unlink(folder("app")) == 0)
        #expect(try Bench().refusal(of: child) == .deleted)
    }

    @Test func rootsFileDeletedFromOnesOwnFolder() throws {
        let folder = try TemporaryFolder(isRootOnly: true, owner: Bench.user)
        let child = try Child([try folder.program()], uid: Bench.user)
        try #require(child.answers())
        try #require(unlink(folder("app")) == 0)
        #expect(try Bench().refusal(of: child) == .deleted)
    }

    @Test func programInMemory() throws {
        let memory = chatelaine_memfd("usr/bin/cat")
        defer { close(memory) }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "/usr/bin/cat"))
        try #require(bytes.withUnsafeBytes { write(memory, $0.baseAddress, $0.count) } == bytes.count)
        let child = try Child(["/proc/self/fd/\(memory)"])
        try #require(child.answers())
        #expect(try Bench().refusal(of: child) == .memory)
    }

    @Test func bindMountInAUserNamespace() throws {
        let folder = try TemporaryFolder(isRootOnly: false)
        let path = try folder.program()
        let child = try Child(
            ["/usr/bin/unshare", "-Urm", "/bin/sh", "-c", "mount --bind \(path) /usr/bin/tac && exec /usr/bin/tac"],
            uid: Bench.user)
        guard child.answers() else { try Test.cancel("SKIPPED: ordinary users get no user namespaces here") }
        let process = try child.handle()
        #expect(try process.system.files.link(at: "exe", in: process.folder.number) == Array("/usr/bin/tac".utf8))
        #expect(try Bench().refusal(of: child) == .foreignNamespace)
        // The file would give the program away even if the namespaces did not.
        let reference = try ReferenceNamespaces(in: process.folder.number, system: .system)
        #expect(try Bench(reference: reference).refusal(of: child) == .otherFileAtPath)
    }

    @Test func anotherRootFolder() throws {
        let own = try ReferenceNamespaces.own()
        let other = ReferenceNamespaces(user: own.user, mount: own.mount, root: FileKey(device: 1, inode: 1))
        let child = try Child(["/usr/bin/cat"])
        try #require(child.answers())
        #expect(try Bench(reference: other).refusal(of: child) == .foreignNamespace)
    }

    @Test func throughTheDynamicLoader() throws {
        let loader = "/lib64/ld-linux-x86-64.so.2"
        guard FileManager.default.fileExists(atPath: loader) else { try Test.cancel("SKIPPED: no \(loader)") }
        let identity = try Bench().identify([loader, "/usr/bin/cat"])
        #expect(identity.assurance == .shared)
        #expect(identity.identifier.text.hasPrefix("path:"))
        #expect(identity.identifier.text.hasSuffix("/ld-linux-x86-64.so.2"))
        #expect(identity.displayName.hasPrefix("any script of this user"))
    }

    @Test func interpreter() throws {
        let identity = try Bench().identify(["/bin/sh", "-c", "read line; echo \"$line\"; read line"])
        #expect(identity.assurance == .shared)
        #expect(identity.displayName.hasPrefix("any script of this user"))
    }

    @Test func interpreterOfOnesOwn() throws {
        let folder = try TemporaryFolder(isRootOnly: false, owner: Bench.user)
        let identity = try Bench().identify([try folder.program("python3.12", owner: Bench.user)])
        #expect(identity.assurance == .shared)
        #expect(identity.identifier == "pinned:\(folder("python3.12"))")
    }

    @Test func toolThatServesWhoeverRunsIt() throws {
        #expect(try Bench(sharedPaths: ["/usr/bin/cat"]).identify(["/usr/bin/cat"]).assurance == .shared)
    }

    @Test func execOnALiveConnection() throws {
        let child = try Child(["/bin/sh", "-c", "read line; echo \"$line\"; read line; exec /usr/bin/cat"])
        try #require(child.answers())
        let process = try child.handle()
        let snapshot = try ExecutableSnapshot(of: process)
        #expect(snapshot.isStillRunning())
        child.send("go\n")
        try #require(child.answers())
        #expect(!snapshot.isStillRunning())
        #expect(throws: Unidentified.self) { try Bench().resolver.identify(snapshot) }
        // The process is the same, so only the executable shows the change.
        let pidfd = chatelaine_pidfd_open(child.pid)
        defer { close(pidfd) }
        #expect(process.isSameProcess(pidfd: pidfd, pid: child.pid))
    }

    @Test func executingTheSameProgramAgainIsNoticed() throws {
        let child = try Child([
            "/bin/sh", "-c", "read line; exec \"$0\" -c 'read line; echo \"$line\"; read line'", "/bin/sh",
        ])
        let process = try child.handle()
        let snapshot = try ExecutableSnapshot(of: process)
        child.send("go\n")
        try #require(child.answers())
        #expect(try process.system.files.status(at: "exe", in: process.folder.number).key == snapshot.status.key)
        #expect(!snapshot.isStillRunning())
    }

    @Test func memoryOfBeforeAnExecIsNotTakenForThatOfTheProgram() throws {
        let child = try Child(["/bin/sh", "-c", "read line; echo \"$line\"; read line; exec /usr/bin/cat"])
        try #require(child.answers())
        let process = try child.handle()
        let before = try process.system.files.open("pagemap", in: process.folder.number, .read)
        child.send("go\n")
        try #require(child.answers())
        let system = IdentitySystemCalls.system.reading(through: ForgedProcReader(before: before.release()))
        let forged = try child.handle(system)
        #expect(throws: Unidentified.self) { try ExecutableSnapshot(of: forged) }
    }

    @Test func kernelWithoutMemoryTablesIsDegraded() throws {
        let child = try Child(["/bin/sh", "-c", "read line; echo \"$line\"; read line; exec /usr/bin/cat"])
        try #require(child.answers())
        let system = FakeSystem(hidesMemory: true).calls
        let process = try child.handle(system)
        let snapshot = try ExecutableSnapshot(of: process)
        #expect(snapshot.isStillRunning())
        let identity = try Bench(system: system).resolver.identify(snapshot)
        #expect(identity.hints == .degradedKernel)
        child.send("go\n")
        try #require(child.answers())
        #expect(!snapshot.isStillRunning())
    }

    @Test func lookThatIsAlwaysInterruptedIsRefused() throws {
        let child = try Child(["/usr/bin/cat"])
        try #require(child.answers())
        let system = FakeSystem { call, _ in call == .view ? .disturbed : nil }.calls
        let process = try child.handle(system)
        do {
            _ = try ExecutableSnapshot(of: process)
            Issue.record("identified without a look")
        } catch { #expect(error.reason == .disturbed) }
    }

    @Test func scriptIsItsInterpreter() throws {
        let folder = try TemporaryFolder(isRootOnly: false, owner: Bench.user)
        let script = folder("keeper")
        try "#!/bin/sh\nread line; echo \"$line\"; read line\n".write(
            toFile: script, atomically: false, encoding: .utf8)
        chmod(script, 0o755)
        let identity = try Bench().identify(Child.running([script], uid: Bench.user))
        #expect(identity.assurance == .shared)
        #expect(!identity.identifier.text.contains("keeper"))
    }

    @Test func programWithoutAName() throws {
        let folder = try TemporaryFolder(isRootOnly: false)
        // O_TMPFILE makes a file that has no name until it is given one.
        let file = open(folder.path, O_RDWR | O_DIRECTORY | 0o20_000_000, 0o755)
        try #require(file >= 0)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "/usr/bin/cat"))
        try #require(bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == bytes.count)
        let readable = open("/proc/self/fd/\(file)", O_RDONLY)
        close(file)
        defer { close(readable) }
        let child = try Child.running(["/proc/self/fd/\(readable)"], uid: Bench.user)
        #expect(try Bench().refusal(of: child) == .deleted)
        try #require(linkat(AT_FDCWD, "/proc/self/fd/\(readable)", AT_FDCWD, folder("keeper"), AT_SYMLINK_FOLLOW) == 0)
        #expect(try Bench().refusal(of: child) == .deleted)
    }

    @Test func accentAfterASlashHidesNoFolder() throws {
        let folder = try TemporaryFolder(isRootOnly: true)
        let name = "open/\u{301}closed"
        try FileManager.default.createDirectory(atPath: folder(name), withIntermediateDirectories: true)
        chmod(folder("open"), 0o777)
        let path = try folder.program(name + "/app")
        #expect(try Bench().identify([path]).identifier == "pinned:\(path)")
    }

    @Test func otherNormalFormOfADeclaredFolder() throws {
        let folder = try TemporaryFolder(isRootOnly: false, owner: Bench.user)
        let bench = try Bench()
        var identities: [Identity] = []
        for name in ["caf\u{E9}", "cafe\u{301}"] {
            try FileManager.default.createDirectory(atPath: folder(name), withIntermediateDirectories: false)
            chown(folder(name), Bench.user, Bench.user)
            if identities.isEmpty { try bench.ledger.develop(folder(name)) }
            identities.append(try bench.identify([try folder.program(name + "/app", owner: Bench.user)]))
        }
        #expect(identities.map(\.state) == [.development, .unknown])
        #expect(identities[0].identifier != identities[1].identifier)
        #expect(identities[0].executablePath != identities[1].executablePath)
    }

    @Test func programThatDoesNotLetItselfBeLookedAt() throws {
        let child = try Child(["/usr/bin/cat"])
        try #require(child.answers())
        let system = FakeSystem { call, _ in call == .view ? .noAccess : nil }.calls
        let process = try child.handle(system)
        do {
            _ = try ExecutableSnapshot(of: process)
            Issue.record("looked at what cannot be looked at")
        } catch {
            #expect(error.reason == .notInspectable)
            #expect(error.error == KeychainError(.missingEntitlement, ""))
            #expect(error.text.hasPrefix("cat (process \(child.pid))"))
            #expect(error.text.contains("What helps: ") && error.text.contains("PR_SET_DUMPABLE"))
        }
    }
}
