import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Synchronization
import TrustProtocol

/// The decisions about one user's applications: which program was first seen at a path, and what is in development.
///
/// Every change is on disk before the call returns; readers never wait for that. A file that does not authenticate is
/// an error and stays where it is: an empty ledger would take any program for the one that was pinned. System mode keeps
/// one ledger for each user.
package final class ApplicationLedger: Sendable {
    /// Records of one user. None is dropped to make room: that would forget what a path was pinned to.
    package static let maximumRecords = 4096
    /// `PATH_MAX`.
    package static let longestPath = CanonicalPath.longest

    struct State {
        var pins: [CanonicalPath: ApplicationRecord] = [:]
        var development: [CanonicalPath: ApplicationRecord] = [:]
        var teams: [TeamIdentifier: TeamRecord] = [:]
        var adoptions: [CanonicalPath: AdoptionRecord] = [:]
        /// In the order in which they were made.
        var changes: [ChangeRecord] = []
        /// Which settings of trust are the person's; nil where there are none.
        var trust: TrustSettingsRecord?
        var endorsement: Endorsement?
        /// Whether records that widen access count only as the key custodian has signed them.
        var needsEndorsement = false
        /// Whether it has signed those that are here.
        var isEndorsed = false
        /// Whether there were settings of trust among those that it has signed last: where none are here, these are others.
        var hasSignedTrust = false

        var records: [ApplicationRecord] {
            (Array(pins.values) + Array(development.values)).sorted { $0.precedes($1) }
        }

        /// Ascending.
        var teamRecords: [TeamRecord] { teams.values.sorted { $0.owner.team < $1.owner.team } }

        /// Ascending.
        var adoptionRecords: [AdoptionRecord] { adoptions.values.sorted { $0.path < $1.path } }

        /// Whether a record is believed, which one that widens access is only where the person has confirmed it.
        func counts(_ record: ApplicationRecord) -> Bool {
            !record.widensAccess || counts(isConfirmed: record.isConfirmed)
        }

        /// The same of what always widens access.
        func counts(isConfirmed: Bool) -> Bool { !needsEndorsement || isEndorsed && isConfirmed }

        /// What is known of the settings of trust. What widens access and was not confirmed counts for nothing; but settings deny as well, and of a list
        /// that is not the one that was signed last nobody knows what it should say.
        var trustStanding: TrustStanding {
            guard let trust else { return needsEndorsement && hasSignedTrust ? .unknown : .none }
            return counts(isConfirmed: trust.isConfirmed) ? .file(trust.digest) : .unknown
        }

        /// Whether anything widens access that was confirmed.
        var widensAccess: Bool {
            records.contains { $0.widensAccess && $0.isConfirmed } || teams.values.contains(where: \.isConfirmed)
                || trust?.isConfirmed ?? false
        }
    }

    /// Whose programs these are: a path that somebody else runs is another application.
    package let user: uid_t
    let state: AdaptiveMutex<State>
    private struct Writing {
        /// Whether another one writes the file from now on.
        var isRetired = false
        /// Whether the file may be another than what is known here: a write that failed at its end may have come to the disk.
        var isUnsettled = false
    }

    private let changing = AdaptiveMutex(Writing())
    private let saved: Atomic<UInt64>
    private let current: Atomic<UInt64>
    /// The last ``revision`` of any list of this process.
    private static let lastRevision = Atomic<UInt64>(0)
    private let file: AuthenticatedFile
    let rule: DevelopmentRule
    private let system: IdentityCalls
    private let onSave: @Sendable (UInt64) -> Void

    /// The ledger in `folder`, which must exist, under the name `applications`; empty if there is none yet.
    ///
    /// - Parameters:
    ///   - key: authenticates the file.
    ///   - formerKey: the one that authenticated files of version 1. Such a file is written anew at once, as generation 1; nil
    ///     where it is known that this has happened, so that one is an old file that somebody put back.
    ///   - onSave: told the ``generation`` of each file that is on disk, by the call that wrote it, in their order.
    /// - Throws: `errSecNotAvailable` when the file cannot be read or written anew, is of a later version, or is not ours;
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
        system: IdentityCalls, onSave: @escaping @Sendable (UInt64) -> Void = { _ in }
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

    /// How often the list was saved, which the file says; 0 where there is none.
    ///
    /// It grows by one with every change: a file with a lower one than was there before is an older one that somebody put back.
    package var generation: UInt64 { saved.load(ordering: .acquiring) }

    /// Another one than before whenever a record was changed, or came to count for another thing: an identity that was judged under another
    /// revision is to be refreshed.
    package var revision: UInt64 { current.load(ordering: .acquiring) }

    /// Whether the program at a canonical path, or a folder above it, was declared as in development.
    package func isInDevelopment(_ path: CanonicalPath) -> Bool {
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

    /// What the ledger says of the program with this digest at this path.
    package func evaluate(_ path: CanonicalPath, digest: ExecutableDigest) -> ApplicationState {
        if isInDevelopment(path) { return .development }
        return state.withLock { state in
            guard let pin = state.pins[path] else { return .unknown }
            // One that was accepted without the passcode is not the program that was recorded first, and nobody knows that one's digest any more.
            return pin.kind == .pinned(digest) && state.counts(pin) ? .pinned : .changed
        }
    }

    /// Records the program that stores something for the first time; does nothing if it is recorded already.
    ///
    /// - Throws: `errSecAuthFailed` when another digest is recorded; `errSecNotAvailable`, `errSecReadOnly` or `errSecIO`
    ///   when the record cannot be made durable or ``maximumRecords`` is reached.
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

    /// Takes no more changes: the file is read by another one, which goes on with it. What it knows can still be asked.
    package func retire() { changing.withLock { $0.isRetired = true } }

    package var isRetired: Bool { changing.withLock { $0.isRetired } }

    /// Whether the file is what is known here. Else nothing that it may name can be done away with.
    package var isSettled: Bool { changing.withLock { !$0.isRetired && !$0.isUnsettled } }

    /// Every decision, by path.
    package func list() -> [ApplicationRecord] { state.withLock { $0.records } }

    /// Teams that the person has added, ascending.
    package func teams() -> [TeamRecord] { state.withLock { $0.teamRecords } }

    /// The settings of trust that the person has made.
    package var trustSettings: TrustStanding { state.withLock { $0.trustStanding } }

    /// Whether a team is believed.
    package func counts(_ record: TeamRecord) -> Bool {
        state.withLock { $0.counts(isConfirmed: record.isConfirmed) }
    }

    /// The anchor that the person has added for a team; nil where there is none that counts.
    func anchor(of team: TeamIdentifier) -> TeamAnchor? {
        state.withLock { state in
            guard let record = state.teams[team], state.counts(isConfirmed: record.isConfirmed) else { return nil }
            return TeamAnchor(owner: record.owner, certificate: record.certificate)
        }
    }

    /// What the file has for those records that are confirmed.
    package struct Claim: Sendable {
        package let digest: [UInt8]
        package let endorsement: Endorsement
        /// Whether there are settings of trust, or nobody knows.
        package let haveTrust: Bool
    }

    /// Nil where it has nothing.
    package var claim: Claim? {
        let state = state.withLock { $0 }
        return state.endorsement.map {
            Claim(digest: Self.endorsedDigest(of: state), endorsement: $0, haveTrust: state.trust != nil)
        }
    }

    /// Says whether there is a passcode, whether the key custodian has signed what widens access, and whether there were settings of trust in what it has
    /// signed last.
    package func settle(needsEndorsement: Bool, isEndorsed: Bool, hasSignedTrust: Bool = false) {
        // A change that is under way would take it back.
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

    /// Whether a record is believed.
    package func counts(_ record: ApplicationRecord) -> Bool { state.withLock { $0.counts(record) } }

    var seconds: Int64 { system.now() / 1_000_000_000 }

    /// Lets `body` change a copy, makes the copy durable, and only then lets others see it.
    ///
    /// `body` answers whether it changed anything.
    func change(_ body: (inout State) throws(KeychainError) -> Bool) throws(KeychainError) {
        try changing.withLock { (writing) throws(KeychainError) in
            guard !writing.isRetired else {
                throw KeychainError(.notAvailable, "the list of applications was opened anew meanwhile; try again")
            }
            var next = state.withLock { $0 }
            // What was said to have failed would count after the next start, also where this changes nothing.
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

    /// Has the file be what is known here, where a write that failed may have left something else: what is refused is then refused after the next start, too.
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

    /// Whoever was judged before is to be judged anew.
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
