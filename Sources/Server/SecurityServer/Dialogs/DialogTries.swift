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
/// The same program under another path counts as another program, so copies can still bring the common count to its
/// delay (THREAT-MODEL.md).
final class DialogTries: Sendable {
    /// Wrong tries of one program at one secret, fewer than lead to the delay of all dialogs.
    static let most = 3
    /// Seconds after the last wrong try when the tries of a program are forgotten.
    static let memory = 60 * 60
    /// The number of pairs of a program and a secret; a further pair displaces the oldest.
    static let maximumNotes = 512

    private enum Secret: Hashable {
        case passcode
        case keychain(KeychainPath)
    }

    private struct Key: Hashable {
        let user: UInt32
        let application: AccessGroup
        let path: CanonicalPath
        let secret: Secret
    }

    private struct Note {
        var wrong = 0
        var last = 0
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
                Self.secrets(of: question).compactMap { secret in
                    guard let note = notes[Self.key(question, secret)], note.wrong >= Self.most else { return nil }
                    return note.last + Self.memory
                }.max()
            }
        }
        guard end().map({ $0 > now }) ?? false else { return nil }
        if isPasscodeClear() { forget(.passcode) }
        guard let end = end(), end > now else { return nil }
        return KeychainError(
            cause: .notEntitled, status: .authFailed,
            "too many wrong ones were typed where \(question.caller.executablePath) asked; it can ask there again in \(end - now) s, or once the right one was given elsewhere"
        )
    }

    /// Counts a wrong secret.
    ///
    /// - Parameter standing: how it stands after that. Where no earlier try counts, the right secret was given since.
    /// - Returns: whether another one may be typed.
    func note(_ question: PersonQuestion, _ standing: PasscodeStanding) -> Bool {
        let now = now()
        let most = notes.withLock { notes -> Int in
            notes = notes.filter { now - $0.value.last < Self.memory }
            return Self.secrets(of: question).map { secret -> Int in
                let key = Self.key(question, secret)
                if notes[key] == nil, notes.count >= Self.maximumNotes,
                    let oldest = notes.min(by: { $0.value.last < $1.value.last })
                {
                    notes[oldest.key] = nil
                }
                let wrong = (standing.isFirst ? 0 : notes[key]?.wrong ?? 0) + 1
                notes[key] = Note(wrong: wrong, last: now)
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
        switch question.proof {
        case .unlock(let proof): forget(.keychain(proof.path))
        case .keychainAccess(let proof):
            guard !proof.taking.wasPasscode, case .keychainItem(let use) = question.subject else { return }
            forget(.keychain(use.keychain))
        // Whether the passcode was right, the custodian is asked (``refusal(of:isPasscodeClear:)``).
        default: break
        }
    }

    /// Notes that the right password of a keychain was given in another way than in a dialog.
    func noteRightPassword(of keychain: KeychainPath) { forget(.keychain(keychain)) }

    private func forget(_ secret: Secret) { notes.withLock { $0 = $0.filter { $0.key.secret != secret } } }

    private static func key(_ question: PersonQuestion, _ secret: Secret) -> Key {
        let caller = question.caller
        return Key(
            user: caller.principal.user, application: caller.principal.application, path: caller.executablePath,
            secret: secret)
    }

    /// The secrets of which a wrong answer to the question counts as a try.
    private static func secrets(of question: PersonQuestion) -> [Secret] {
        switch question.proof {
        case .consent, .passcode, .admission: return [.passcode]
        case .unlock(let proof): return [.keychain(proof.path)]
        case .keychainAccess(let proof):
            guard case .keychainItem(let use) = question.subject else { return [] }
            return [.keychain(use.keychain)] + (proof.takesPasscode ? [.passcode] : [])
        // Nobody counts tries at a new password, at a program's own, or at the passphrase of a file.
        case .password, .finger: return []
        }
    }
}
