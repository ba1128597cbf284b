import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import SystemCalls

/// What people did not allow of file keychains, and of files with a passphrase, for a while: a program that asks for it again is answered without a dialog.
///
/// Who is asked again and again would sooner or later say yes. So the pauses grow, and a program that is refused one thing after the other is held
/// up whatever it asks for. Another path makes another program, which begins anew: the places and lines of dialogs bound that.
final class DialogDenials: Sendable {
    /// Seconds after the first refusal, twice as many after each further one: a slip of the finger costs no more than these.
    static let firstPause = 10
    /// Seconds at the most, so that who said no by mistake is asked again the same hour.
    static let longestPause = 15 * 60
    /// Seconds after the last refusal when it is forgotten.
    static let memory = 60 * 60
    /// Refusals of different things that a program may have in that time, before it is held up altogether.
    static let refusalsOfProgram = 4
    /// Pairs of a program and a thing; one more has the oldest forgotten.
    static let maximumNotes = 512
    /// Programs that a report names; it has room for few facts.
    static let reportedPrograms = 16

    /// What was asked for.
    private enum Thing: Hashable {
        case item(KeychainPath, ItemIdentifier)
        case keychain(KeychainPath)
        /// The passphrase of a file, which only the program tells apart from others.
        case file
        /// Whatever it may be.
        case anything
    }

    private struct Key: Hashable {
        let user: UInt32
        let application: AccessGroup
        let path: CanonicalPath
        let thing: Thing

        init(_ caller: Identity, _ thing: Thing) {
            (user, application) = (caller.principal.user, caller.principal.application)
            (path, self.thing) = (caller.executablePath, thing)
        }
    }

    private struct Note {
        var refusals = 0
        var last = 0
        /// Which refusal that was: many may be of one second.
        var order: UInt64 = 0
        /// When the program is asked about again.
        var end = 0
    }

    private struct State {
        var notes: [Key: Note] = [:]
        var order: UInt64 = 0

        /// Counts one more; the pause that it leads to.
        mutating func refuse(_ key: Key, at now: Int, free: Int) -> Int {
            if notes[key] == nil, notes.count >= DialogDenials.maximumNotes,
                let oldest = notes.min(by: { $0.value.order < $1.value.order })
            {
                notes[oldest.key] = nil
            }
            order += 1
            var note = notes[key] ?? Note()
            note.refusals += 1
            (note.last, note.order) = (now, order)
            let pause = DialogDenials.pause(after: note.refusals - free)
            note.end = now + pause
            notes[key] = note
            return pause
        }
    }

    private let state = AdaptiveMutex(State())
    private let now: @Sendable () -> Int
    private let log: Log

    /// - Parameter now: seconds of a clock that nobody can set.
    init(log: Log, now: @escaping @Sendable () -> Int = { MonotonicClock.seconds }) {
        self.log = log
        self.now = now
    }

    /// What a program is told that is not asked about now; nil where a person is to be asked.
    func refusal(of question: PersonQuestion) -> KeychainError? {
        guard let thing = Self.thing(question.subject) else { return nil }
        let (now, caller) = (now(), question.caller)
        let end = state.withLock { state in
            max(state.notes[Key(caller, thing)]?.end ?? 0, state.notes[Key(caller, .anything)]?.end ?? 0)
        }
        guard end > now else { return nil }
        return KeychainError(
            cause: .notEntitled, status: .authFailed,
            "a person did not allow this before; \(caller.executablePath) can ask again in \(end - now) s")
    }

    /// Remembers what a person said, before the program hears of it.
    func note(_ answer: PersonAnswer, to question: PersonQuestion) {
        guard let thing = Self.thing(question.subject) else { return }
        switch answer {
        case .denied, .cancelled, .timedOut:
            note(question, [(thing, 0), (.anything, Self.refusalsOfProgram)])
        case .allowed, .allowedOnce, .allowedEverywhere:
            state.withLock { state in
                for thing in [thing, .anything] { state.notes[Key(question.caller, thing)] = nil }
            }
        case .wrong:
            // A program that guesses in its own terminal would be asked for ever, and have the delay of wrong tries grow for everybody. Who unlocks may mistype.
            if case .keychainItem = question.subject {
                note(question, [(thing, 0), (.anything, Self.refusalsOfProgram)])
            }
        // Nobody has said anything.
        case .fallback, .locked, .impossible: break
        }
    }

    /// A program has taken its question back, for which there may be a good reason once or twice.
    func noteWithdrawal(of question: PersonQuestion) {
        guard Self.thing(question.subject) != nil else { return }
        note(question, [(.anything, Self.refusalsOfProgram)])
    }

    private func note(_ question: PersonQuestion, _ things: [(thing: Thing, free: Int)]) {
        let (now, caller) = (now(), question.caller)
        let pause = state.withLock { state -> Int in
            state.notes = state.notes.filter { now - $0.value.last < Self.memory }
            return things.map { state.refuse(Key(caller, $0.thing), at: now, free: $0.free) }.max() ?? 0
        }
        guard pause > 0 else { return }
        log.notice(
            "a program is not asked about for a while",
            [
                "path": caller.executablePath.text, "uid": "\(caller.principal.user)", "pid": "\(caller.pid)",
                "seconds": "\(pause)",
            ])
    }

    static func pause(after refusals: Int) -> Int {
        guard refusals > 0 else { return 0 }
        return min(longestPause, firstPause << min(refusals - 1, 16))
    }

    /// Questions about data protection items ask for a proof, which the custodian counts, and are none of these.
    private static func thing(_ subject: PersonSubject) -> Thing? {
        switch subject {
        case .keychainItem(let use): .item(use.keychain, use.item)
        case .unlockKeychain(let path), .newKeychain(let path), .loginKeychain(let path): .keychain(path)
        case .passphrase: .file
        case .item, .presence, .accessControl, .changedProgram, .trust: nil
        }
    }

    /// Names the programs that are held up.
    func add(to report: inout DaemonReport) {
        let now = now()
        var ends: [CanonicalPath: Int] = [:]
        for (key, note) in state.withLock({ $0.notes }) where note.end > now {
            ends[key.path] = max(ends[key.path] ?? 0, note.end)
        }
        guard !ends.isEmpty else { return }
        report.add("questions.slowed", ends.count)
        let longest = ends.sorted { ($0.value, $1.key.text) > ($1.value, $0.key.text) }
        for (index, (path, end)) in longest.prefix(Self.reportedPrograms).enumerated() {
            report.add("questions.slowed.\(index + 1)", "\(path) for \(end - now) s")
        }
    }
}
