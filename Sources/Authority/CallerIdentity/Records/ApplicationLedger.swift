import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Synchronization
import TrustProtocol

/// The decisions about one user's applications: which program was first seen at a path, and what is in development.
///
/// Every change is on disk before the call returns, and readers never wait for that. A file that does not authenticate
/// is an error and stays in place: with an empty ledger, any program would count as the pinned one. System mode keeps
/// one ledger for each user.
package final class ApplicationLedger: Sendable {
    /// The number of records of one user.
    ///
    /// No record is dropped to make room, because that would forget a pin.
    static let maximumRecords = 4096
    /// In bytes: `PATH_MAX`.
    package static let longestPath = CanonicalPath.longest

    struct State {
        var pins: [CanonicalPath: ApplicationRecord] = [:]
        var development: [CanonicalPath: ApplicationRecord] = [:]
        var teams: [TeamIdentifier: TeamRecord] = [:]
        var adoptions: [CanonicalPath: AdoptionRecord] = [:]
        /// In the order in which they were made.
        var changes: [ChangeRecord] = []
        /// The settings of trust; nil if there are none.
        var trust: TrustSettingsRecord?
        var endorsement: Endorsement?
        /// Whether records that widen access count only if the key custodian has signed them.
        var needsEndorsement = false
        /// Whether the key custodian has signed the present records.
        var isEndorsed = false
        /// Whether the records that the key custodian signed last included settings of trust.
        ///
        /// If there are none now, these are other records.
        var hasSignedTrust = false

        var records: [ApplicationRecord] {
            (Array(pins.values) + Array(development.values)).sorted { $0.precedes($1) }
        }

        /// Ascending.
        var teamRecords: [TeamRecord] { teams.values.sorted { $0.owner.team < $1.owner.team } }

        /// Ascending.
        var adoptionRecords: [AdoptionRecord] { adoptions.values.sorted { $0.path < $1.path } }

        /// Whether a record counts.
        ///
        /// A record that widens access counts only if the person confirmed it.
        func counts(_ record: ApplicationRecord) -> Bool {
            !record.widensAccess || counts(isConfirmed: record.isConfirmed)
        }

        /// The same for a record that always widens access.
        func counts(isConfirmed: Bool) -> Bool { !needsEndorsement || isEndorsed && isConfirmed }

        /// What is known about the settings of trust.
        ///
        /// Unconfirmed settings widen no access. Settings also deny, so they are unknown, rather than absent, if the
        /// list is not the one that was signed last.
        var trustStanding: TrustStanding {
            guard let trust else { return needsEndorsement && hasSignedTrust ? .unknown : .none }
            return counts(isConfirmed: trust.isConfirmed) ? .file(trust.digest) : .unknown
        }

        /// Whether any confirmed record widens access.
        var widensAccess: Bool {
            records.contains { $0.widensAccess && $0.isConfirmed } || teams.values.contains(where: \.isConfirmed)
                || trust?.isConfirmed ?? false
        }
    }

    /// The user whose programs are recorded; a path that another user runs is another application.
    package let user: uid_t
    let state: AdaptiveMutex<State>
    private struct Writing {
        /// Whether another ledger writes the file from now on.
        var isRetired = false
        /// Whether the file may differ from this state, because a write that failed at its end may have reached the
        /// disk.
        var isUnsettled = false
    }

    private let changing = AdaptiveMutex(Writing())
    private let saved: Atomic<UInt64>
    private let current: Atomic<UInt64>
    /// The last ``revision`` of any ledger in this process.
    private static let lastRevision = Atomic<UInt64>(0)
    private let file: AuthenticatedFile
    let rule: DevelopmentRule
    private let system: IdentitySystemCalls
    private let onSave: @Sendable (UInt64) -> Void

    /// Opens the ledger in `folder`, which must exist, under the name `applications`.
    ///
    /// The ledger is empty if there is no file yet.
    ///
    /// - Parameters:
    ///   - key: authenticates the file.
    ///   - formerKey: authenticated files of version 1. Such a file is rewritten at once, as generation 1. Nil once
    ///     that is known to have happened, since a file of version 1 is then an old file that somebody put back.
    ///   - onSave: receives the ``generation`` of each file that is on disk, in order, from the call that wrote it.
    /// - Throws: `errSecNotAvailable` when the file cannot be read or rewritten, is of a later version, or is not ours.
    ///   `errSecDecode` when it was altered or belongs to another key. The text says what to do.
    package convenience init(
        folder: String, key: SecretBytes, formerKey: SecretBytes?, user: uid_t = geteuid(),
        onSave: @escaping @Sendable (UInt64) -> Void = { _ in }
    ) throws(KeychainError) {
        try self.init(
            folder: folder, key: key, formerKey: formerKey, user: user, homes: DevelopmentRule.homes(of: user),
            system: .system, onSave: onSave)
    }

    init(
        folder: String, key: SecretBytes, formerKey: SecretBytes? = nil, user: uid_t, homes: [String],
        system: IdentitySystemCalls, onSave: @escaping @Sendable (UInt64) -> Void = { _ in }
    ) throws(KeychainError) {
        self.system = system
        self.onSave = onSave
        self.user = user
        rule = DevelopmentRule(user: user, homes: homes, system: system)
        file = AuthenticatedFile(
            folder: folder, name: "applications", kind: Self.fileKind, version: Self.fileVersion,
            limit: Self.fileLimit, key: key,
            formerKeys: [Self.unendorsedVersion: key, Self.teamlessVersion: key, Self.trustlessVersion: key]
                .merging(formerKey.map { [Self.firstVersion: $0] } ?? [:]) { $1 },
            files: system.files)
        var read = State()
        var generation: UInt64 = 0
        var isFormer = false
        do {
            if let content = try file.read() {
                let decoded = try Self.decoded(content)
                read.endorsement = decoded.endorsement
                for record in decoded.teams { read.teams[record.owner.team] = record }
                for record in decoded.adoptions { read.adoptions[record.path] = record }
                read.changes = decoded.changes
                read.trust = decoded.trust
                for record in decoded.records {
                    if record.kind.isPin {
                        read.pins[record.path] = record
                    } else {
                        read.development[record.path] = record
                    }
                }
                isFormer = content.version < Self.fileVersion
                generation = decoded.generation
            }
        } catch { throw Self.unusable("\(folder)/applications", error) }
        if isFormer {
            generation += 1
            do throws(AuthenticatedFileError) {
                try file.write(Self.encoded(Content(read, generation: generation)))
            } catch { throw Self.notWritten(error) }
        }
        state = AdaptiveMutex(read)
        saved = Atomic(generation)
        current = Atomic(Self.nextRevision)
    }

    /// How often the list was saved, as its file says; 0 if there is no file.
    ///
    /// It grows by one with every change. A file with a lower generation than before is an older one that somebody put
    /// back.
    package var generation: UInt64 { saved.load(ordering: .acquiring) }

    /// A number that changes whenever a record changes, or begins or ceases to count.
    ///
    /// An identity that was judged at another revision must be refreshed.
    var revision: UInt64 { current.load(ordering: .acquiring) }

    /// Whether the program at a canonical path, or a folder above it, was declared as in development.
    func isInDevelopment(_ path: CanonicalPath) -> Bool {
        state.withLock { state in
            guard !state.development.isEmpty else { return false }
            func isDeclared(_ path: CanonicalPath, _ kind: ApplicationRecord.Kind) -> Bool {
                guard let record = state.development[path], record.kind == kind else { return false }
                return state.counts(record)
            }
            if isDeclared(path, .developmentProgram) { return true }
            var path = path
            // At most as many steps as the path has components; `/` itself cannot be declared.
            while path.folder != path {
                path = path.folder
                if isDeclared(path, .developmentFolder) { return true }
            }
            return false
        }
    }

    /// The state of the program with this digest at this path, according to the ledger.
    package func evaluate(_ path: CanonicalPath, digest: ExecutableDigest) -> ApplicationState {
        if isInDevelopment(path) { return .development }
        return state.withLock { state in
            guard let pin = state.pins[path] else { return .unknown }
            // A pin that was accepted without the passcode replaced the first program's digest, so the first digest is
            // unknown.
            return pin.kind == .pinned(digest) && state.counts(pin) ? .pinned : .changed
        }
    }

    /// Records the program that stores something for the first time; does nothing if it is recorded already.
    ///
    /// - Throws: `errSecAuthFailed` when another digest is recorded. `errSecNotAvailable`, `errSecReadOnly` or
    ///   `errSecIO` when the record cannot be made durable or ``maximumRecords`` is reached.
    package func pin(_ path: CanonicalPath, digest: ExecutableDigest) throws(KeychainError) {
        guard evaluate(path, digest: digest) != .pinned else { return }
        try change { (state) throws(KeychainError) in
            if let pin = state.pins[path] {
                guard pin.kind == .pinned(digest) else {
                    throw KeychainError(cause: .changedProgram, "another program is recorded for \(path)")
                }
                return false
            }
            state.pins[path] = ApplicationRecord(path: path, kind: .pinned(digest), since: seconds, accepted: nil)
            return true
        }
    }

    /// Accepts no more changes, because another ledger now reads and writes the file.
    ///
    /// Reads still work.
    package func retire() { changing.withLock { $0.isRetired = true } }

    package var isRetired: Bool { changing.withLock { $0.isRetired } }

    /// Whether the file matches this state.
    ///
    /// If not, nothing that the file may name can be deleted.
    package var isSettled: Bool { changing.withLock { !$0.isRetired && !$0.isUnsettled } }

    /// Every decision, by path.
    package func list() -> [ApplicationRecord] { state.withLock { $0.records } }

    /// The teams that the person added, ascending.
    package func teams() -> [TeamRecord] { state.withLock { $0.teamRecords } }

    /// The standing of the person's settings of trust.
    package var trustSettings: TrustStanding { state.withLock { $0.trustStanding } }

    /// Whether a team counts.
    package func counts(_ record: TeamRecord) -> Bool {
        state.withLock { $0.counts(isConfirmed: record.isConfirmed) }
    }

    /// The anchor that the person added for a team; nil if there is none that counts.
    func anchor(of team: TeamIdentifier) -> TeamAnchor? {
        state.withLock { state in
            guard let record = state.teams[team], state.counts(isConfirmed: record.isConfirmed) else { return nil }
            return TeamAnchor(owner: record.owner, certificate: record.certificate)
        }
    }

    /// The endorsement in the file, and the digest of the confirmed records that it must cover.
    package struct Claim: Sendable {
        package let digest: [UInt8]
        package let endorsement: Endorsement
        /// Whether there are settings of trust, or they are unknown.
        package let haveTrust: Bool
    }

    /// Nil if the file has no endorsement.
    package var claim: Claim? {
        let state = state.withLock { $0 }
        return state.endorsement.map {
            Claim(digest: Self.endorsedDigest(of: state), endorsement: $0, haveTrust: state.trust != nil)
        }
    }

    /// Sets how far the records count.
    ///
    /// It says whether there is a passcode, and whether the key custodian has signed what widens access. It also says
    /// whether the records that were signed last included settings of trust.
    package func settle(needsEndorsement: Bool, isEndorsed: Bool, hasSignedTrust: Bool = false) {
        // Taken because a change that is under way would overwrite the new values.
        changing.withLock { _ in
            let isOther = state.withLock { state in
                state.hasSignedTrust = hasSignedTrust
                guard (state.needsEndorsement, state.isEndorsed) != (needsEndorsement, isEndorsed) else { return false }
                (state.needsEndorsement, state.isEndorsed) = (needsEndorsement, isEndorsed)
                return true
            }
            if isOther { noteRevision() }
        }
    }

    package var needsEndorsement: Bool { state.withLock { $0.needsEndorsement } }

    /// Whether a record counts.
    package func counts(_ record: ApplicationRecord) -> Bool { state.withLock { $0.counts(record) } }

    var seconds: Int64 { system.now() / 1_000_000_000 }

    /// Lets `body` change a copy, makes the copy durable, and only then lets others see it.
    ///
    /// `body` returns whether it changed anything.
    func change(_ body: (inout State) throws(KeychainError) -> Bool) throws(KeychainError) {
        try changing.withLock { (writing) throws(KeychainError) in
            guard !writing.isRetired else {
                throw KeychainError(.notAvailable, "the list of applications was opened anew meanwhile; try again")
            }
            var next = state.withLock { $0 }
            // A change that was reported as failed would count after the next start, even if this call changes nothing.
            if writing.isUnsettled { try save(next, &writing) }
            guard try body(&next) else { return }
            guard next.pins.count + next.development.count <= Self.maximumRecords else {
                throw KeychainError(
                    .notAvailable,
                    "the list of applications is full (\(Self.maximumRecords)): remove some with `security app forget PATH`"
                )
            }
            try save(next, &writing)
        }
    }

    /// Writes the file again if a failed write may have left another state on disk.
    ///
    /// So a change that was refused stays refused after the next start.
    func writeAgainIfNeeded() throws(KeychainError) {
        try changing.withLock { (writing) throws(KeychainError) in
            guard writing.isUnsettled, !writing.isRetired else { return }
            try save(state.withLock { $0 }, &writing)
        }
    }

    private func save(_ next: State, _ writing: inout Writing) throws(KeychainError) {
        let generation = generation + 1
        do throws(AuthenticatedFileError) {
            try file.write(Self.encoded(Content(next, generation: generation)))
        } catch {
            writing.isUnsettled = true
            throw Self.notWritten(error)
        }
        writing.isUnsettled = false
        state.withLock { $0 = next }
        saved.store(generation, ordering: .releasing)
        noteRevision()
        onSave(generation)
    }

    /// Makes every identity outdated that was judged before.
    private func noteRevision() { current.store(Self.nextRevision, ordering: .releasing) }

    private static var nextRevision: UInt64 { lastRevision.wrappingAdd(1, ordering: .relaxed).newValue }

    private static func notWritten(_ error: AuthenticatedFileError) -> KeychainError {
        switch error {
        case .io(let error, let action, let path): KeychainError(system: error.code, action, path)
        default: KeychainError(.internalComponent, "the list of applications cannot be written: \(error)")
        }
    }

    private static func unusable(_ path: String, _ error: any Error) -> KeychainError {
        switch error {
        case AuthenticatedFileError.io(let error, let action, let path):
            KeychainError(system: error.code, action, path)
        case AuthenticatedFileError.notOurs:
            KeychainError(
                .notAvailable, "\(path) is not a file of this user: move it away or give it back to its owner")
        case AuthenticatedFileError.newer(let version):
            KeychainError(
                cause: .newerFormat,
                "\(path) has version \(version), written by a later release: install that release again")
        default:
            KeychainError(
                .decode,
                "\(path) was damaged or altered (\(error)), so changed programs could not be told from known ones. Put "
                    + "a backup of it back, or move it away to start without any recorded program, and without what you have set about trust: "
                    + "where there was something, remove it with `security remove-trusted-cert -a` then")
        }
    }
}
