import ChatelaineIPC
import ChatelaineModel
import Testing

/// Tests of the names by which a keychain is known.
struct KeychainPathTests {
    private static let folder = "/data/keychains"
    private static let home = "/home/eve"

    private static func resolved(
        _ name: String, folder: String = folder, home: String? = home, working: String? = "/work/here"
    ) throws -> KeychainPath { try KeychainPath(name, in: folder, home: home) { working } }

    private static let longest = String(repeating: "n", count: 252)

    @Test(arguments: [
        // Names with or without their ending on disk.
        ("ci", "/data/keychains/ci-db"), ("ci.keychain", "/data/keychains/ci.keychain-db"),
        ("ci.keychain-db", "/data/keychains/ci.keychain-db"), ("-db", "/data/keychains/-db"),
        (" a b ", "/data/keychains/ a b -db"), ("~", "/data/keychains/~-db"), ("...", "/data/keychains/...-db"),
        ("ä", "/data/keychains/ä-db"), (longest, "/data/keychains/\(longest)-db"),
        // macOS's folder, written out or not, and our own.
        ("~/Library/Keychains/a", "/data/keychains/a-db"), ("~/Library/Keychains//a-db", "/data/keychains/a-db"),
        ("/home/eve/Library/Keychains/a.keychain", "/data/keychains/a.keychain-db"),
        ("/home//eve/./Library/x/../Keychains/a", "/data/keychains/a-db"),
        ("/data/keychains/a", "/data/keychains/a-db"), ("/data//keychains/../keychains/a-db", "/data/keychains/a-db"),
    ])
    func namesInTheFolder(_ name: String, _ path: String) throws {
        let resolved = try Self.resolved(name)
        #expect(resolved.text == path && resolved.place == .own)
        // The daemon accepts only paths that the client has resolved.
        #expect(try KeychainPath(resolved: path, in: Self.folder) == resolved)
        let unresolved = try? KeychainPath(resolved: name, in: Self.folder)
        #expect(name == path || unresolved?.place != .own)
    }

    @Test(arguments: [
        ("/tmp/x.keychain", "/tmp/x.keychain"), ("/x", "/x"), ("//tmp//x", "/tmp/x"), ("/../../x", "/x"),
        ("/tmp/./a/../x", "/tmp/x"), ("./x", "/work/here/x"), ("build/x.keychain-db", "/work/here/build/x.keychain-db"),
        ("../x", "/work/x"), ("../../../../x", "/x"),
        // Neither of these two is a keychain directly in the folder.
        ("/data/keychains/sub/a", "/data/keychains/sub/a"), ("/data/keychains", "/data/keychains"),
        ("~/Library/Keychains/../a", "/home/eve/Library/a"), ("~/Keychains/a", "/work/here/~/Keychains/a"),
        ("~eve/Library/Keychains/a", "/work/here/~eve/Library/Keychains/a"),
        ("/home/bob/Library/Keychains/a", "/home/bob/Library/Keychains/a"),
    ])
    func pathsElsewhere(_ name: String, _ path: String) throws {
        let resolved = try Self.resolved(name)
        #expect(resolved.text == path && resolved.place == .elsewhere)
        #expect(try KeychainPath(resolved: path, in: Self.folder) == resolved)
    }

    @Test(arguments: [
        "", "a\0b", "\0", ".", "..", "/", "//", "a/", "/tmp/", "/tmp/.", "/tmp/..", "~/Library/Keychains/",
        "./", String(repeating: "n", count: 253), "/tmp/" + String(repeating: "n", count: 256),
        String(repeating: "/long", count: 820), String(repeating: "x", count: 5000),
    ])
    func whatIsNoFile(_ name: String) {
        #expect(throws: KeychainError(.param, "")) { try Self.resolved(name) }
    }

    /// macOS's name for the system roots stands for no file.
    @Test(arguments: ["", "/System/../", "//"])
    func theSystemRootsAreAPlace(_ before: String) throws {
        let resolved = try Self.resolved(before + KeychainPath.systemRoots)
        #expect(resolved.text == KeychainPath.systemRoots && resolved.place == .systemRoots)
        #expect(try KeychainPath(resolved: resolved.text, in: Self.folder) == resolved)
        #expect(try Self.resolved("/System/Library/Keychains/x.keychain").place == .elsewhere)
    }

    @Test func aRelativePathNeedsAWorkingFolder() throws {
        for working in [nil, "", "(unreachable)/x"] {
            #expect(throws: KeychainError(.param, "")) { try Self.resolved("./x", working: working) }
            #expect(try Self.resolved("x", working: working).place == .own)
        }
        // Without a home, macOS's folder does not exist.
        #expect(try Self.resolved("/home/eve/Library/Keychains/a", home: nil).place == .elsewhere)
        // Users of services often have this home.
        #expect(try Self.resolved("/Library/Keychains/a", home: "/").place == .machine)
        #expect(try Self.resolved("~/Library/Keychains/a", home: "/").place == .own)
    }

    /// The kernel treats the two spellings as two files.
    @Test func anAccentMayBeWrittenInTwoWays() throws {
        let (one, other) = (try Self.resolved("\u{E4}"), try Self.resolved("a\u{308}"))
        #expect(one != other && Set([one, other, one]).count == 2)
        #expect(throws: KeychainError(.param, "")) {
            try KeychainPath(resolved: "/data/keychains/x", in: "/data/keycha\u{131}ns/../keychains")
        }
    }

    /// The daemon uses a path in the folder without further checks, so these must be refused.
    @Test(arguments: [
        "/data/keychains/../x-db", "/data/keychains/./a-db", "/data/keychains//a-db", "/data/keychains/sub/../a-db",
        "/data/keychains/a\0-db", "/data/keychains/\(String(repeating: "n", count: 253))-db",
    ])
    func whatOnlyLooksResolved(_ path: String) {
        #expect(throws: KeychainError(.param, "")) { try KeychainPath(resolved: path, in: Self.folder) }
    }

    @Test func whatLiesBesideTheFolderIsElsewhere() throws {
        for path in ["/data/keychainsXa-db", "/data/keychains-db", "/data/keychains/-db/a-db"] {
            #expect(try KeychainPath(resolved: path, in: Self.folder).place == .elsewhere)
        }
        // A name of three bytes gets its ending too.
        #expect(throws: KeychainError(.param, "")) {
            try KeychainPath(resolved: "/data/keychains/abc", in: Self.folder)
        }
    }

    /// The folder's path is the deployment's, unchanged: links in it are not resolved as text.
    @Test func theFolderStaysAsItIs() throws {
        let path = try Self.resolved("a", folder: "/link/../data/keychains")
        #expect(path.text == "/link/../data/keychains/a-db" && path.place == .own)
        #expect(try KeychainPath(resolved: path.text, in: "/link/../data/keychains") == path)
    }

    @Test func deploymentsHaveAFolder() throws {
        let deployment = try Deployment.current(DeploymentTests.environment(["XDG_DATA_HOME": "/d/"]))
        #expect(deployment.keychainsFolder == "/d/chatelaine/keychains")
        let path = try KeychainPath("~/Library/Keychains/a", deployment, DeploymentTests.environment())
        #expect(path.text == "/d/chatelaine/keychains/a-db")
    }

    @Test func theMachinesFolderHasTwoNames() throws {
        for (name, place) in [
            ("/Library/Keychains/System.keychain", KeychainPath.Place.machine),
            ("/machine/System.keychain", .machine), ("/machine/System.keychain-db", .machine),
            ("/machine/sub/System.keychain", .elsewhere), ("/machines/System.keychain", .elsewhere),
        ] {
            let path = try KeychainPath(name, in: Self.folder, machine: "/machine")
            #expect(path.place == place, "\(name)")
            #expect(path.place == .elsewhere || path.text == "/machine/System.keychain-db", "\(name)")
        }
        #expect(try KeychainPath(resolved: "/machine/a-db", in: Self.folder, machine: "/machine").place == .machine)
        #expect(throws: KeychainError(.param, "")) {
            try KeychainPath(resolved: "/Library/Keychains/a-db", in: Self.folder, machine: "/machine")
        }
    }
}
