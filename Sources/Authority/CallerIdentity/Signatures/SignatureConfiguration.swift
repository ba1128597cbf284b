import ChatelaineModel
import ChatelaineSystem
import Crypto
import Glibc
import Synchronization
import TrustProtocol

/// What root has said about signatures below `/etc/chatelaine`, looked at once a second at the most.
///
/// Each look asks for the status of folders and files; what they say is read again only where one of them is another. Nothing is
/// held while a certificate is examined.
final class SignatureConfiguration: Sendable {
    /// Nanoseconds between two looks.
    static let interval: Int64 = 1_000_000_000

    /// What holds until the next change.
    struct Snapshot: Sendable {
        /// Another one after each change, whichever configuration of this process says it.
        var revision: UInt64 = 0
        /// Whether there is a folder with signatures by digest, or something in its place.
        var listsSignatures = false
        /// Why nobody can look into that folder, so that each program may be listed there.
        var folderProblem: String?
        /// Nil where the list cannot be read: then no signature counts.
        var revocations: RevocationList? = RevocationList()
        /// What is wrong with the list.
        var problem: String?
    }

    /// What root says of a team's anchor.
    enum Anchor: Sendable {
        case none
        case known(AnchorReport)
        case unusable(String)
    }

    private struct State {
        var snapshot = Snapshot()
        /// Status of what was read, and when it was asked for; nil of what is not there.
        var seen: [String: FileStatus?] = [:]
        var lastLook: Int64?
        var anchors: [TeamIdentifier: Anchor] = [:]
        /// Anchors' files that were examined, by their digests.
        var examined: [Bytes32: AnchorReport] = [:]
    }

    let places: SignaturePlaces
    private let verifier: any SignatureVerifying
    private let system: IdentityCalls
    private let state = AdaptiveMutex(State())
    /// As in the state, for those that need nothing else of it: every look-up of a signed program.
    private let lastLook = Atomic<Int64>(.max)
    private let revision = Atomic<UInt64>(0)
    private static let lastRevision = Atomic<UInt64>(0)

    init(_ places: SignaturePlaces, _ verifier: any SignatureVerifying, system: IdentityCalls) {
        self.places = places
        self.verifier = verifier
        self.system = system
    }

    /// What holds now.
    func snapshot(at now: Int64) -> Snapshot {
        state.withLock { state in
            if let last = state.lastLook, Self.isFresh(last, now) { return state.snapshot }
            look(&state, now)
            revision.store(state.snapshot.revision, ordering: .relaxed)
            lastLook.store(now, ordering: .releasing)
            return state.snapshot
        }
    }

    /// The revision of what holds now, for which nobody waits for another's look but once a second.
    func revision(at now: Int64) -> UInt64 {
        guard Self.isFresh(lastLook.load(ordering: .acquiring), now) else { return snapshot(at: now).revision }
        return revision.load(ordering: .relaxed)
    }

    /// Whether no look is due; a clock that was set back makes one due, too.
    private static func isFresh(_ last: Int64, _ now: Int64) -> Bool { now >= last && now - last < interval }

    private func look(_ state: inout State, _ now: Int64) {
        defer { state.lastLook = now }
        let watched = [places.folder, places.signatures, places.teams, places.revocations]
        let paths = Set(watched).union(state.seen.keys)
        let seen = Dictionary(uniqueKeysWithValues: paths.map { ($0, status(of: $0)) })
        // What was changed just before the last look may have been changed again within one tick of the file system's clock.
        let isSettled = seen.values.allSatisfy { ($0?.changed ?? 0) < (state.lastLook ?? 0) - Self.interval }
        guard state.lastLook == nil || !isSettled || seen != state.seen else { return }
        state.seen = seen.filter { watched.contains($0.key) }
        state.anchors = [:]
        state.snapshot = read()
    }

    private func read() -> Snapshot {
        var snapshot = Snapshot(revision: Self.lastRevision.wrappingAdd(1, ordering: .relaxed).newValue)
        // Where nobody can look, any program may be listed.
        snapshot.listsSignatures = RootFile(at: places.signatures, limit: 0, system: system) != .missing
        if snapshot.listsSignatures, let nobody = ExecutableDigest([UInt8](repeating: 0, count: Bytes32.count)),
            let reason = RootFile(at: places.signature(of: nobody), limit: 0, system: system).problem
        {
            snapshot.folderProblem = reason
        }
        do throws(RevocationList.Unreadable) {
            switch RootFile(at: places.revocations, limit: RevocationList.maximumBytes, system: system) {
            case .missing: break
            case .content(let text): snapshot.revocations = try RevocationList(text)
            case .unusable(let reason), .unreadable(let reason):
                (snapshot.revocations, snapshot.problem) = (nil, reason)
            }
        } catch {
            snapshot.revocations = nil
            snapshot.problem = "line \(error.line) of \(places.revocations) is not understood"
        }
        return snapshot
    }

    private func status(of path: String) -> FileStatus? { try? system.files.status(at: path, in: AT_FDCWD) }

    /// What root says of a team's anchor, as of now.
    func anchor(of team: TeamIdentifier, at now: Int64) -> Anchor {
        let revision = revision(at: now)
        if let known = state.withLock({ $0.anchors[team] }) { return known }
        let path = places.anchor(of: team)
        let before = status(of: path)
        let anchor = read(path, team, now)
        // What nobody could look at is looked at again.
        if case .unusable = anchor { return anchor }
        state.withLock { state in
            guard state.snapshot.revision == revision, state.anchors.count < SignatureLimits.maximumTeams else {
                return
            }
            state.anchors[team] = anchor
            // One that comes to be there changes its folder.
            if let before { state.seen[path] = before }
        }
        return anchor
    }

    private func read(_ path: String, _ team: TeamIdentifier, _ now: Int64) -> Anchor {
        switch RootFile(at: path, limit: SignatureLimits.maximumAnchorBytes, system: system) {
        case .missing: return .none
        case .unusable(let reason), .unreadable(let reason): return .unusable(reason)
        case .content(let file):
            do throws(KeychainError) {
                var report = try examine(file, team, now)
                guard report.anchor.owner.team == team else {
                    return .unusable("\(path) is the anchor of another team, \(report.anchor.owner.team)")
                }
                let mark = RootFile(at: places.profileMark(of: team), limit: 0, system: system)
                report.anchor.requiresProfiles = mark != .missing
                return .known(report)
            } catch { return .unusable("\(path) is no anchor: \(error.reason)") }
        }
    }

    private func examine(
        _ file: [UInt8], _ team: TeamIdentifier, _ now: Int64
    ) throws(KeychainError) -> AnchorReport {
        let digest = Bytes32(Array(SHA256.hash(data: file)))
        if let digest, let known = state.withLock({ $0.examined[digest] }), known.anchor.owner.team == team {
            return known
        }
        let report = try verifier.examine(AnchorQuestion(file: file, team: team, now: now / 1_000_000_000))
        if let digest {
            state.withLock { state in
                if state.examined.count >= SignatureLimits.maximumTeams { state.examined = [:] }
                state.examined[digest] = report
            }
        }
        return report
    }

    /// Teams of which root has an anchor's file, ascending; at most ``SignatureLimits/maximumTeams``.
    func listedTeams() -> [TeamIdentifier] {
        let ending = ".pem"
        let names = (try? system.files.names(in: places.teams, limit: SignatureLimits.maximumTeams * 4)) ?? []
        let teams = names.filter { $0.hasSuffix(ending) }.compactMap { TeamIdentifier($0.dropLast(ending.count)) }
        return Array(teams.sorted().prefix(SignatureLimits.maximumTeams))
    }
}
