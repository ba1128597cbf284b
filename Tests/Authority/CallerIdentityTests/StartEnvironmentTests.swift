import Glibc
import TestSupport
import Testing

@testable import CallerIdentity

/// The environment of a process shows whether it started with preloaded code.
@Suite struct StartEnvironmentTests {
    private static func found(_ entries: [String]) -> Bool {
        var search = PreloadSearch()
        for entry in entries { for byte in Array(entry.utf8) + [0] { search.take(byte) } }
        return search.hasFound
    }

    @Test(arguments: [
        (["LD_PRELOAD=x"], true), (["LD_AUDIT=/a.so"], true), (["A=1", "", "LD_PRELOAD= ", "B=2"], true),
        // The loader skips a name without an equals sign, and continues after an empty value.
        (["LD_PRELOAD", "LD_PRELOAD=", "LD_AUDIT=x"], true), ([], false), (["", ""], false),
        (["LD_PRELOAD="], false), (["LD_AUDIT="], false), (["LD_PRELOAD"], false), (["LD_PRELOADS=x"], false),
        (["XLD_PRELOAD=x", "X=LD_PRELOAD=x", "ld_preload=x"], false), (["LD_A", "UDIT=x", "LD_", "PRELOAD=x"], false),
        (["LD_LIBRARY_PATH=/x", "LD_BIND_NOW=1"], false),
    ])
    func whatIsLookedFor(_ entries: [String], _ expected: Bool) {
        #expect(Self.found(entries) == expected, "\(entries)")
    }

    /// The name lies across the pieces in which an environment is read.
    @Test func ofARealProcess() throws {
        let own = "PATH=" + BuildFolder.searchPath
        let filling = { "FILL=" + String(repeating: "x", count: $0) }
        for (environment, expected) in [
            ([own], Preloading.none), ([own, "LD_PRELOAD="], .none), ([own, "LD_AUDIT=/nowhere"], .some),
            ([own, filling((64 << 10) - own.utf8.count - 12), "LD_PRELOAD=/nowhere", "Z=1"], .some),
            ([filling(100_000), own], .none), ([own, filling(100_000), "LD_PRELOAD=/nowhere"], .some),
        ] {
            let child = try Child(["/usr/bin/cat"], environment: environment)
            try #require(child.answers())
            #expect(try ExecutableSnapshot(of: child.handle()).preloading() == expected)
        }
    }

    @Test func whatCannotBeReadIsUnknown() throws {
        let child = try Child.running(["/usr/bin/cat"])
        let snapshot = try ExecutableSnapshot(of: child.handle())
        #expect(snapshot.preloading() == .none)
        // Other descriptors of a /proc reader are not an environment.
        let passed = open("/dev/null", O_RDONLY | O_CLOEXEC)
        #expect(OpenedEntry(descriptors: [passed]).preloading == .unknown)
        #expect(fcntl(passed, F_GETFD) < 0, "it is closed")
        for error in [EACCES, ETIMEDOUT, EAGAIN, EINVAL] {
            #expect(OpenedEntry(error: error).preloading == .unknown)
        }
        let folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(folder) }
        #expect(ProcEntry.environment.open(in: folder).preloading == .unknown)
        child.end()
        #expect(snapshot.preloading() == .unknown)
    }

    /// The process runs another program by then, so the environment is not the first one's.
    @Test func aProgramThatBecomesAnother() throws {
        let child = try Child.running(["sh", "-c", "read line; echo \"$line\"; read line; exec cat"])
        let snapshot = try ExecutableSnapshot(of: child.handle())
        #expect(snapshot.preloading() == .none)
        child.send("go on\n")
        try #require(child.answers())
        #expect(snapshot.preloading() == .unknown)
    }
}
