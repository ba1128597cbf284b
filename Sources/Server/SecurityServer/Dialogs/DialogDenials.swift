import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import SystemCalls

/// The refusals of people about file keychains, changed programs, and files with a passphrase.
///
/// For a while, a program that asks again is answered without a dialog.
///
/// A person who is asked again and again would sooner or later say yes. So the pauses grow, and a program that is
/// refused different things is held up for every question. The same program under another path counts as another
/// program. The limits of dialogs bound that.
final class DialogDenials: Sendable {
    /// Seconds of the pause after the first refusal, doubled after each further one.
    ///
    /// A slip costs no more than the first pause.
    static let firstPause = 10
    /// Seconds of the longest pause, so that a person who refused by mistake is asked again within the hour.
    static let longestPause = 15 * 60
    /// Seconds after the last refusal when the refusals are forgotten.
    static let memory = 60 * 60
    /// Refusals of different things that a program may have in that time before it is held up for everything.
    static let refusalsOfProgram = 4
    /// The number of pairs of a program and a thing.
    ///
    /// A further pair displaces the oldest.
    static let maximumNotes = 512
    /// The number of programs that a report names, since it has room for few facts.
    static let reportedPrograms = 16

    /// The thing that a program asked for.
    enum Thing: Hashable {
        case item(KeychainPath, ItemIdentifier)
        /// To be let in although its file changed.
        case itself
        case keychain(KeychainPath)
        /// The passphrase of any file, since only the program can tell files apart.
        case file
        /// Any of these things.
        case anything
    }

    private struct Key: Hashable {
        let principal: Principal
        let path: CanonicalPath
        let thing: Thing

        init(_ caller: Identity, _ thing: Thing) {
            (principal, path, self.thing) = (caller.principal, caller.executablePath, thing)
        }
    }

    private struct Note {
        var refusals = 0
        var last = 0
        /// The number of the refusal, since many may be in one second.
        var order: UInt64 = 0
        /// When a person may be asked about the program again.
        var end = 0
    }

    private struct State {
        var notes: [Key: Note] = [:]
        var order: UInt64 = 0

        /// Counts one more refusal; returns the pause that it leads to.
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

        /// Forgets the refusals of one thing, which is allowed now.
        ///
        /// Those of other things count on. Otherwise a program would clear them by a question that it answers itself,
        /// about a keychain of its own in its own terminal.
        mutating func forget(_ key: Key, of whole: Key) {
            guard let note = notes.removeValue(forKey: key), var all = notes[whole] else { return }
            all.refusals -= note.refusals
            if all.refusals <= DialogDenials.refusalsOfProgram { all.end = 0 }
            notes[whole] = all.refusals > 0 ? all : nil
        }
    }

    private let state = AdaptiveMutex(State())
    private let now: @Sendable () -> Int
    private let log: Log

    /// Makes an empty record.
    ///
    /// - Parameter now: seconds of a clock that nobody can set.
    init(log: Log, now: @escaping @Sendable () -> Int = { MonotonicClock.seconds }) {
        self.log = log
        self.now = now
    }

    /// The error for a program about which nobody is asked now; nil where a person is to be asked.
    func refusal(of question: PersonQuestion) -> KeychainError? {
        guard let thing = question.subject.refusal else { return nil }
        let (now, caller) = (now(), question.caller)
        let end = state.withLock { state in
            max(state.notes[Key(caller, thing)]?.end ?? 0, state.notes[Key(caller, .anything)]?.end ?? 0)
        }
        guard end > now else { return nil }
        return KeychainError(
            cause: .notEntitled, status: .authFailed,
            "a person did not allow this before; \(caller.executablePath) can ask again in \(end - now) s")
    }

    /// Remembers the answer of a person, before the program hears it.
    func note(_ answer: PersonAnswer, to question: PersonQuestion) {
        guard let thing = question.subject.refusal else { return }
        switch answer {
        case .denied, .cancelled, .timedOut:
            note(question, [(thing, 0), (.anything, Self.refusalsOfProgram)])
        case .allowed, .allowedOnce, .allowedEverywhere:
            state.withLock { $0.forget(Key(question.caller, thing), of: Key(question.caller, .anything)) }
        case .wrong where question.subject.isRefusedByWrongSecrets:
            note(question, [(thing, 0), (.anything, Self.refusalsOfProgram)])
        // Otherwise no person has answered.
        case .wrong, .fallback, .locked, .again, .impossible: break
        }
    }

    /// Notes that a program withdrew its question, for which there may be a good reason once or twice.
    func noteWithdrawal(of question: PersonQuestion) {
        guard question.subject.refusal != nil else { return }
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

    /// Adds the programs that are held up.
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
