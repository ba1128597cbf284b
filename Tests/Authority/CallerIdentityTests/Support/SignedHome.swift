import ChatelaineModel
import ChatelaineSystem
import Foundation
import TestSupport
import Testing
import TrustProtocol

@testable import CallerIdentity

/// A user's programs with made-up signatures, and root's made-up files about these.
final class SignedHome {
    static let team = TeamIdentifier.test("ABCDE12345")
    static let other = TeamIdentifier.test("ZZZZZ99999")

    /// The folder in place of `/etc/chatelaine`.
    let root: TemporaryFolder
    let programs: TemporaryFolder
    let verifier = FakeVerifier()
    let system: FakeSystem
    let judge: SignatureValidator
    let bench: Bench
    private(set) var now: Int64

    /// - Parameter fault: Faults of the system that reads programs and signatures.
    init(
        sharedPaths: Set<CanonicalPath> = [],
        fault: @escaping @Sendable (FakeSystem.Call, String) -> Errno? = { _, _ in nil }
    ) throws {
        root = try TemporaryFolder(isRootOnly: true)
        programs = try TemporaryFolder(isRootOnly: false, owner: Bench.user)
        now = IdentitySystemCalls.system.now()
        system = FakeSystem(now: now, fault: fault)
        judge = SignatureValidator(verifier, places: SignaturePlaces(folder: root.path), system: system.calls)
        bench = try Bench(system: system.calls, sharedPaths: sharedPaths, signatures: judge)
        for name in ["teams", "signatures"] { try Self.makeFolder(root(name)) }
    }

    static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try #require(chmod(path, 0o755) == 0)
    }

    /// Moves the clock.
    func wait(seconds: Int64) {
        now += seconds * 1_000_000_000
        system.set(now: now)
    }

    /// Lets so much time pass that root's files are read again.
    func lookAgain() { wait(seconds: 2) }

    static func write(_ text: String, to path: String, mode: mode_t = 0o644) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try #require(chmod(path, mode) == 0)
    }

    /// An anchor, whose file is a text with the team and key.
    func report(_ team: TeamIdentifier = SignedHome.team, key: UInt8 = 1) -> (file: String, report: AnchorReport) {
        let file = "anchor of \(team) \(key)"
        let report = AnchorReport(
            anchor: TeamAnchor(owner: TeamOwner(team: team, anchorKey: .filled(key)), certificate: Array(file.utf8)),
            subject: "OU=\(team)", validFrom: 0, validUntil: 4_000_000_000)
        verifier.anchors.withLock { $0[Array(file.utf8)] = report }
        return (file, report)
    }

    /// Adds the anchor of a team to root's files.
    func trust(_ team: TeamIdentifier = SignedHome.team, key: UInt8 = 1) throws {
        try Self.write(report(team, key: key).file, to: root("teams/\(team).pem"))
        lookAgain()
    }

    /// Adds the anchor of a team as the user's decision.
    func add(_ team: TeamIdentifier = SignedHome.team, key: UInt8 = 2) throws {
        let record = try judge.team(of: Array(report(team, key: key).file.utf8), expecting: team)
        try bench.ledger.carryOut(.addTeam(record))
    }

    func digest(of path: String) throws -> ExecutableDigest { try bench.resolver.judgement(of: path).digest }

    /// Makes a program with a signature beside it, whose claims a test may change.
    @discardableResult
    func signedProgram(
        _ name: String = "app", padding: String = "", team: TeamIdentifier = SignedHome.team,
        _ change: (inout FakeVerifier.Signed) -> Void = { _ in }
    ) throws -> String {
        let path = try programs.program(name, padding: padding, owner: Bench.user)
        try sign(path, team: team, change)
        return path
    }

    func sign(
        _ path: String, team: TeamIdentifier = SignedHome.team, _ change: (inout FakeVerifier.Signed) -> Void = { _ in }
    ) throws {
        try sign(path, team: team, at: path + ".codesig", change)
        try #require(chown(path + ".codesig", Bench.user, Bench.user) == 0)
    }

    func sign(
        _ path: String, team: TeamIdentifier = SignedHome.team, at place: String,
        _ change: (inout FakeVerifier.Signed) -> Void = { _ in }
    ) throws {
        var signed = FakeVerifier.Signed(team: team, identifier: "\(team).mail", digest: try digest(of: path))
        change(&signed)
        let text = "\(signed)"
        verifier.signed.withLock { $0[Array(text.utf8)] = signed }
        try Self.write(text, to: place)
    }

    /// Starts a program, which runs as long as the returned value is kept.
    func run(_ path: String) throws -> Running {
        let child = try Child.running([path], uid: Bench.user)
        return Running(
            child: child, snapshot: try ExecutableSnapshot(of: child.handle(system.calls)), resolver: bench.resolver)
    }

    struct Running {
        let child: Child
        let snapshot: ExecutableSnapshot
        let resolver: IdentityResolver

        func identity() throws -> Identity { try resolver.identify(snapshot) }

        /// The identity that the next request of a connection sees.
        func next(_ identity: Identity) throws -> Identity {
            resolver.needsRefreshing(identity) ? try resolver.refreshed(identity, snapshot) : identity
        }
    }
}

extension Identity {
    /// The reason why the signature does not count.
    var defect: SignatureDefect? {
        if case .defect(let defect, _)? = signature?.outcome { return defect }
        return nil
    }
}
