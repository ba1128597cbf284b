import ChatelaineModel
import ChatelaineSystem
import Crypto
import Glibc
import Synchronization
import TrustProtocol

/// Root's configuration of signatures below `/etc/chatelaine`, checked once a second at the most.
///
/// Each check reads the status of folders and files; their content is read again only if a status changed. No lock is
/// held while a certificate is examined.
final class SignatureConfiguration: Sendable {
    /// Nanoseconds between two looks.
    static let interval: Int64 = 1_000_000_000

    /// The configuration until the next change.
    struct Snapshot: Sendable {
        /// A number that differs after each change, and between all configurations of this process.
        var revision: UInt64 = 0
        /// Whether there is a folder with signatures by digest, or something else at its path.
        var listsSignatures = false
        /// Why that folder cannot be read.
        ///
        /// Any program may then be listed there.
        var folderProblem: String?
        /// Nil if the list cannot be read; no signature counts then.
        var revocations: RevocationList? = RevocationList()
        /// Why the list cannot be read.
        var problem: String?
    }

    /// Root's configuration of a team's anchor.
    enum Anchor: Sendable {
        case none
        case known(AnchorReport)
        case unusable(String)
    }

    private struct State {
        var snapshot = Snapshot()
        /// The status of each path at the last check; nil if nothing was there.
        var seen: [String: FileStatus?] = [:]
        var lastLook: Int64?
        var anchors: [TeamIdentifier: Anchor] = [:]
        /// The reports on anchor files that were examined, by the digests of the files.
        var examined: [Bytes32: AnchorReport] = [:]
    }

    let places: SignaturePlaces
    private let verifier: any SignatureVerifying
    private let system: IdentitySystemCalls
    private let state = AdaptiveMutex(State())
    /// The same time as in `state`, for look-ups of signed programs, which need nothing else of the state.
    ///
    /// `.max` before the first check.
    private let lastLook = Atomic<Int64>(.max)
    private let revision = Atomic<UInt64>(0)
    private static let lastRevision = Atomic<UInt64>(0)

    init(_ places: SignaturePlaces, _ verifier: any SignatureVerifying, system: IdentitySystemCalls) {
        self.places = places
        self.verifier = verifier
        self.system = system
    }

    /// The current configuration.
    func snapshot(at now: Int64) -> Snapshot {
        state.withLock { state in
            if let last = state.lastLook, Self.isFresh(last, now) { return state.snapshot }
            look(&state, now)
            revision.store(state.snapshot.revision, ordering: .relaxed)
            lastLook.store(now, ordering: .releasing)
            return state.snapshot
        }
    }

    /// The revision of the current configuration.
    ///
    /// A call waits for the lock only once a second, when a check is due.
    func revision(at now: Int64) -> UInt64 {
        guard Self.isFresh(lastLook.load(ordering: .acquiring), now) else { return snapshot(at: now).revision }
        return revision.load(ordering: .relaxed)
    }

    /// Whether no check is due.
    ///
    /// A clock that was set back also makes one due.
    private static func isFresh(_ last: Int64, _ now: Int64) -> Bool { now >= last && now - last < interval }

    private func look(_ state: inout State, _ now: Int64) {
        defer { state.lastLook = now }
        let watched = [places.folder, places.signatures, places.teams, places.revocations]
        let paths = Set(watched).union(state.seen.keys)
        let seen = Dictionary(uniqueKeysWithValues: paths.map { ($0, status(of: $0)) })
        // A file that changed just before the last check may have changed again within one tick of the file system's
        // clock.
        let isSettled = seen.values.allSatisfy { ($0?.changed ?? 0) < (state.lastLook ?? 0) - Self.interval }
        guard state.lastLook == nil || !isSettled || seen != state.seen else { return }
        state.seen = seen.filter { watched.contains($0.key) }
        state.anchors = [:]
        state.snapshot = read()
    }

    private func read() -> Snapshot {
        var snapshot = Snapshot(revision: Self.lastRevision.wrappingAdd(1, ordering: .relaxed).newValue)
        // If the folder cannot be read, any program may be listed in it.
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

    /// Root's current configuration of a team's anchor.
    func anchor(of team: TeamIdentifier, at now: Int64) -> Anchor {
        let revision = revision(at: now)
        if let known = state.withLock({ $0.anchors[team] }) { return known }
        let path = places.anchor(of: team)
        let before = status(of: path)
        let anchor = read(path, team, now)
        // An unusable anchor is not cached, so that the next call reads it again.
        if case .unusable = anchor { return anchor }
        state.withLock { state in
            guard state.snapshot.revision == revision, state.anchors.count < SignatureLimits.maximumTeams else {
                return
            }
            state.anchors[team] = anchor
            // A missing file is not watched, because its folder changes when the file appears.
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

    /// Teams for which root has an anchor file, ascending; at most ``SignatureLimits/maximumTeams``.
    func listedTeams() -> [TeamIdentifier] {
        let ending = ".pem"
        let names = (try? system.files.names(in: places.teams, limit: SignatureLimits.maximumTeams * 4)) ?? []
        let teams = names.filter { $0.hasSuffix(ending) }.compactMap { TeamIdentifier($0.dropLast(ending.count)) }
        return Array(teams.sorted().prefix(SignatureLimits.maximumTeams))
    }
}
