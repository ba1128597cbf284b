import ChatelaineModel
import Testing
import TrustProtocol

@testable import CallerIdentity
@testable import SecurityServer

/// Access objects of file keychains identify callers by the rows of E.5, applied to our programs
/// (behaviour/access-objects.md).
@Suite struct ACLCallerTests {
    private static let path = "/home/ada/bin/sync"
    private static let digest = ExecutableDigest([UInt8](repeating: 7, count: ExecutableDigest.byteCount))

    private func caller(
        _ state: ApplicationState, _ application: AccessGroup = "pinned:/home/ada/bin/sync",
        assurance: Assurance = .file, hints: Hints = [], digest: ExecutableDigest? = digest,
        signature: ProgramSignature.Outcome? = nil, tools: [String] = []
    ) throws -> ACLCaller {
        let executable = try #require(CanonicalPath(Self.path))
        var identity = Identity(
            principal: Principal(user: 1000, application: application), assurance: assurance, state: state, pid: 1,
            group: 100,
            executablePath: executable, displayName: "sync", hints: hints, digest: digest, ledgerRevision: 1)
        identity.signature = signature.map {
            ProgramSignature(
                path: Self.path + ".codesig", file: nil, digest: digest, outcome: $0, holds: 0...1, revision: 1)
        }
        return ACLCaller(identity, tools: Set(tools.compactMap { CanonicalPath($0) }))
    }

    @Test(arguments: [ApplicationState.unknown, .pinned, .changed])
    func unsignedProgramsAreTheirDigest(state: ApplicationState) throws {
        let digest = try #require(Self.digest)
        let expected = ACLCaller(
            .digest(digest), .file, at: ExactText(Self.path), .unsigned, in: PartitionID(digest),
            as: ProcessUser(user: 1000, group: 100))
        #expect(try caller(state) == expected)
    }

    @Test func rootsProgramsAreApples() throws {
        let caller = try caller(.rootOnly, "path:/home/ada/bin/sync", digest: nil)
        #expect(caller.identity == .identifier("path:/home/ada/bin/sync") && caller.standing == .valid)
        #expect(caller.partition == .apple && caller.rememberable != nil)
        let shared = try self.caller(.rootOnly, "path:/home/ada/bin/sync", assurance: .shared, digest: nil)
        #expect(shared.rememberable == nil)
    }

    @Test func signedProgramsAreTheirTeams() throws {
        let team = try #require(TeamIdentifier("ABCDE12345"))
        let key = try #require(Bytes32([UInt8](repeating: 1, count: 32)))
        let claims = SignedClaims(
            owner: TeamOwner(team: team, anchorKey: key), identifier: "ABCDE12345.sync", keychainGroups: [],
            applicationGroups: [], entitlements: [], validFrom: 0, validUntil: 1, certificates: [])
        let caller = try caller(.signed, claims.application, signature: .claims(claims, anchoredBy: .root))
        #expect(caller.identity == .identifier(claims.application) && caller.standing == .valid)
        #expect(caller.partition?.text == "teamid:ABCDE12345")
        #expect(
            caller.rememberable == TrustedApplication(.identifier(claims.application), .file, at: ExactText(Self.path)))
    }

    @Test func whoseSignatureDoesNotCountIsNobody() throws {
        for (defect, standing) in [(SignatureDefect.expired, CodeStanding.invalid), (.unreadable, .unreadable)] {
            let caller = try caller(.rejected, "rejected:x", signature: .defect(defect, detail: ""))
            #expect(caller.identity == nil && caller.partition == nil && caller.standing == standing)
            #expect(caller.rememberable == nil)
        }
    }

    @Test func developmentAndDebuggersAreDoubts() throws {
        #expect(try caller(.development).doubts == .inDevelopment)
        #expect(try caller(.development, digest: nil).identity == nil)
        #expect(try caller(.pinned, hints: .traced).doubts == .traced)
        #expect(try caller(.pinned, hints: [.upgraded, .degradedKernel]).doubts == [])
    }

    /// E.3, SecTrustedApplicationCreateFromPath: the listed program is the one that later calls from that path.
    @Test func aProgramIsListedByItsPath() throws {
        let (path, digest) = (try #require(CanonicalPath(Self.path)), try #require(Self.digest))
        func listed(
            _ state: ApplicationState, _ scheme: String, isShared: Bool = false, tools: Set<CanonicalPath> = []
        ) throws -> TrustedApplication {
            let identifier = AccessGroup("\(scheme):\(path)")
            let judgement = ProgramJudgement(
                path: path, digest: digest, unsigned: (identifier, state), state: state, isShared: isShared,
                groups: [identifier])
            return try TrustedApplication(judgement, tools: tools)
        }
        #expect(try listed(.rootOnly, "path") == caller(.rootOnly, "path:/home/ada/bin/sync").listed)
        for state: ApplicationState in [.unknown, .pinned, .changed] {
            #expect(try listed(state, "pinned") == caller(state).rememberable)
        }
        let signature = ProgramSignature(
            path: Self.path + ".codesig", file: nil, digest: digest, outcome: .defect(.expired, detail: ""),
            holds: 0...1,
            revision: 1)
        let rejected = ProgramJudgement(
            path: path, digest: digest, unsigned: ("pinned:x", .unknown), state: .rejected, signature: signature)
        #expect(throws: KeychainError(.param, "")) { try TrustedApplication(rejected, tools: []) }
        let development = try listed(.development, "dev")
        #expect(try development == caller(.development).listed && caller(.development).rememberable == nil)
        #expect(try listed(.rootOnly, "path", isShared: true).assurance == .shared)
        #expect(
            try listed(.pinned, "pinned", tools: [path])
                == caller(.pinned, assurance: .shared, tools: [Self.path]).listed)
    }

    @Test func theSecurityCommandIsItself() throws {
        let tool = try caller(.pinned, assurance: .shared, tools: [Self.path])
        #expect(
            tool
                == ACLCaller(
                    .securityTool, .shared, at: ExactText(Self.path), .valid, in: .appleTool,
                    as: ProcessUser(user: 1000, group: 100)))
        let access = AccessObject.default(
            descriptor: "x", trusted: [TrustedApplication(.securityTool, .shared, at: "/usr/bin/security")])
        #expect(ACLEvaluation.decide(access, right: .decrypt, caller: tool, ui: false) == .allowed)
        #expect(try caller(.pinned, tools: ["/usr/bin/security"]).identity != .securityTool)
    }
}
