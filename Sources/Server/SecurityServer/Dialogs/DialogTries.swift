import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import SystemCalls

/// The wrong secrets that were typed into dialogs in a terminal of the program that asked.
///
/// Such a terminal belongs to the program, which can type there itself. The custodian counts wrong tries of all dialogs
/// together, and after five the person at any dialog has to wait. So a program that has brought some of them is held
/// back before.
///
/// A try takes its place before the secret is checked. Otherwise several dialogs of a program, which were shown before
/// it was held back, would bring one more each.
///
/// The same program under another path counts as another program, so copies can still bring the common count to its
/// delay (THREAT-MODEL.md).
final class DialogTries: Sendable {
    /// Wrong tries of one program at one secret, fewer than lead to the delay of all dialogs.
    static let most = 3
    /// Tries in dialogs that were shown before the program was held back; one fewer than lead to the delay.
    ///
    /// The one more is for the person: `security` in their terminal and in that of a program is the same program.
    static let mostOfShown = most + 1
    /// Seconds after the last wrong try when the tries of a program at the password of a keychain are forgotten.
    ///
    /// Those at the passcode count until the right one is given, as they do with the custodian.
    static let memory = 60 * 60
    /// The number of pairs of a program and a secret; a further pair displaces the oldest.
    static let maximumNotes = 512

    enum Secret: Hashable {
        case passcode
        case keychain(KeychainPath)
    }

    fileprivate struct Key: Hashable {
        let principal: Principal
        let path: CanonicalPath
        let secret: Secret
    }

    private struct Note {
        var wrong = 0
        var last = 0
        /// Tries that are being checked.
        var pending = 0
    }

    private let notes = AdaptiveMutex<[Key: Note]>([:])
    private let now: @Sendable () -> Int
    private let log: Log

    /// Makes an empty record.
    ///
    /// - Parameter now: seconds of a clock that nobody can set.
    init(log: Log, now: @escaping @Sendable () -> Int = { MonotonicClock.seconds }) {
        self.log = log
        self.now = now
    }

    /// The error for a program that is held back; nil where its question may be shown in its terminal.
    ///
    /// - Parameter isPasscodeClear: whether no wrong passcode counts any more, since the right one was given somewhere.
    func refusal(of question: PersonQuestion, isPasscodeClear: () -> Bool) -> KeychainError? {
        let now = now()
        func end() -> Int? {
            notes.withLock { notes in
                question.proof.terms.tried.compactMap { secret in
                    guard let note = notes[Self.key(question, secret)], note.wrong >= Self.most else { return nil }
                    return secret == .passcode ? .max : note.last + Self.memory
                }.max()
            }
        }
        guard end().map({ $0 > now }) ?? false else { return nil }
        if isPasscodeClear() { forget(.passcode) }
        guard let end = end(), end > now else { return nil }
        let time = end == .max ? "" : "in \(end - now) s, or "
        return KeychainError(
            cause: .notEntitled, status: .authFailed,
            "too many wrong ones were typed where \(question.caller.executablePath) asked; it can ask there again \(time)once the right one was given elsewhere"
        )
    }

    /// The place of a secret that was typed, and is not checked yet.
    struct Place: Sendable {
        /// The wrong tries that counted when the place was taken.
        fileprivate let wrong: [Key: Int]

        /// The place of a secret that the caller could not have typed.
        static let uncounted = Place(wrong: [:])
    }

    /// Takes a place for a secret that was typed; nil where the program has none left.
    ///
    /// Followed by ``note(_:_:at:)`` or ``giveBack(_:)``.
    func take(_ question: PersonQuestion) -> Place? {
        let now = now()
        let keys = question.proof.terms.tried.map { Self.key(question, $0) }
        return notes.withLock { notes -> Place? in
            notes = notes.filter { key, note in
                key.secret == .passcode || note.pending > 0 || now - note.last < Self.memory
            }
            guard keys.allSatisfy({ notes[$0].map { $0.wrong + $0.pending < Self.mostOfShown } ?? true }) else {
                return nil
            }
            let wrong = keys.map { ($0, notes[$0]?.wrong ?? 0) }
            for key in keys {
                if notes[key] == nil, notes.count >= Self.maximumNotes,
                    let oldest = notes.filter({ $0.value.pending == 0 }).min(by: { $0.value.last < $1.value.last })
                {
                    notes[oldest.key] = nil
                }
                notes[key, default: Note(last: now)].pending += 1
            }
            return Place(wrong: Dictionary(wrong) { first, _ in first })
        }
    }

    /// Gives the place of a secret back that was not wrong, or was not checked.
    func giveBack(_ question: PersonQuestion) {
        notes.withLock { notes in
            for secret in question.proof.terms.tried {
                let key = Self.key(question, secret)
                guard let note = notes[key] else { continue }
                if note.wrong == 0, note.pending <= 1 {
                    notes[key] = nil
                } else {
                    notes[key]?.pending = max(0, note.pending - 1)
                }
            }
        }
    }

    /// Counts a wrong secret.
    ///
    /// Where no earlier try counts with the custodian, the right secret was given, and tries from before the place was
    /// taken count no more. Tries that were noted since do: they may have been checked after this one.
    ///
    /// - Parameter standing: how it stands after that.
    /// - Returns: whether another one may be typed.
    func note(_ question: PersonQuestion, _ standing: PasscodeStanding, at place: Place) -> Bool {
        let now = now()
        let most = notes.withLock { notes -> Int in
            question.proof.terms.tried.map { secret -> Int in
                let key = Self.key(question, secret)
                let former = notes[key] ?? Note()
                let forgiven = standing.isFirst ? place.wrong[key] ?? 0 : 0
                let wrong = max(0, former.wrong - forgiven) + 1
                notes[key] = Note(wrong: wrong, last: now, pending: max(0, former.pending - 1))
                return wrong
            }.max() ?? 0
        }
        guard most >= Self.most else { return true }
        log.notice(
            "wrong secrets were typed where a program asked, which is held back there",
            ["path": question.caller.executablePath.text, "pid": "\(question.caller.pid)"])
        return false
    }

    /// Notes that a question was answered with the right secret, which clears the custodian's count of it.
    func noteRight(_ question: PersonQuestion) {
        let terms = question.proof.terms
        guard terms.checking?.wasPasscode != true else { return }
        // Whether the passcode was right, the custodian is asked (``refusal(of:isPasscodeClear:)``).
        for secret in terms.tried where secret != .passcode { forget(secret) }
    }

    /// Notes that a keychain was made, or was opened by a password from elsewhere than a dialog.
    func noteOpening(of keychain: KeychainPath) { forget(.keychain(keychain)) }

    private func forget(_ secret: Secret) { notes.withLock { $0 = $0.filter { $0.key.secret != secret } } }

    private static func key(_ question: PersonQuestion, _ secret: Secret) -> Key {
        Key(principal: question.caller.principal, path: question.caller.executablePath, secret: secret)
    }
}
