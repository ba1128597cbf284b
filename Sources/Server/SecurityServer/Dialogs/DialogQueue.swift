import AgentProtocol
import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import SystemCalls

/// Asks people by dialogs, one at a time on each display and in each terminal; other questions wait for their turn
/// there.
final class DialogQueue: PersonAsking {
    /// Questions that wait for one place; ``SessionLimits/inquiriesPerUser`` bounds all questions together.
    static let mostWaiting = SessionLimits.inquiriesPerUser
    /// The number of displays and terminals that are in use at a time.
    static let mostPlaces = ProcessStarter.mostDialogs
    /// The places where one program has questions, so that it leaves some to others.
    static let mostPlacesOfProgram = mostPlaces / 2
    /// Milliseconds that a place waits for a request to write down its answer, which takes one change of a store.
    private static let settlement = 10_000

    /// The questions for one place.
    private struct Line {
        /// The question that is shown, and its dialog.
        var current: (inquiry: PersonInquiry, dialog: AgentDialog)?
        var waiting: [PersonInquiry] = []

        func hasQuestion(of caller: Identity) -> Bool {
            (waiting + (current.map { [$0.inquiry] } ?? [])).contains {
                $0.question.caller.executablePath == caller.executablePath
                    && $0.question.caller.principal == caller.principal
            }
        }
    }

    private let starter: any ProcessStarting
    private let checking: any PasscodeChecking
    private let places: DialogPlace.Finder
    private let log: Log
    private let denials: DialogDenials
    private let tries: DialogTries
    private let seconds: UInt32
    private let lines = AdaptiveMutex<[DialogPlace: Line]>([:])

    /// Makes an empty queue.
    ///
    /// - Parameters:
    ///   - checking: checks passcodes.
    ///   - seconds: how long a dialog waits for an answer.
    ///   - denials: the earlier refusals.
    ///   - tries: the earlier wrong secrets.
    init(
        starter: any ProcessStarting, checking: any PasscodeChecking, place places: DialogPlace.Finder, log: Log,
        seconds: UInt32 = AgentDialog.seconds, denials: DialogDenials? = nil, tries: DialogTries? = nil
    ) {
        self.starter = starter
        self.checking = checking
        self.places = places
        self.log = log
        self.seconds = seconds
        self.denials = denials ?? DialogDenials(log: log)
        self.tries = tries ?? DialogTries(log: log)
    }

    func ask(_ inquiry: PersonInquiry) -> Bool {
        guard let place = places.place(forTerminal: inquiry.question.terminal) else { return false }
        return ask(inquiry, at: place)
    }

    private func ask(_ inquiry: PersonInquiry, at place: DialogPlace) -> Bool {
        if let refusal = refusal(of: inquiry.question, at: place) {
            inquiry.answer(.impossible(refusal))
            return true
        }
        enum Entry { case first, later, refused }
        let entry = lines.withLock { lines -> Entry in
            guard let line = lines[place] else {
                let caller = inquiry.question.caller
                guard lines.count < Self.mostPlaces,
                    lines.values.count(where: { $0.hasQuestion(of: caller) }) < Self.mostPlacesOfProgram
                else { return .refused }
                lines[place] = Line(waiting: [inquiry])
                return .first
            }
            guard line.waiting.count < Self.mostWaiting else { return .refused }
            lines[place]?.waiting.append(inquiry)
            return .later
        }
        switch entry {
        case .refused: return false
        case .later: break
        case .first:
            guard Worker.start({ [self] in serve(place) }) else {
                abandon(place)
                return false
            }
        }
        inquiry.whenWithdrawn { [weak self, weak inquiry] in
            if let inquiry { self?.withdraw(inquiry, from: place) }
        }
        return true
    }

    func close() {
        let (waiting, shown) = lines.withLock { lines -> ([PersonInquiry], [AgentDialog]) in
            let waiting = lines.values.flatMap { $0.waiting + ($0.current.map { [$0.inquiry] } ?? []) }
            for place in lines.keys { lines[place]?.waiting = [] }
            return (waiting, lines.values.compactMap { $0.current?.dialog })
        }
        for inquiry in waiting { inquiry.answer(.locked) }
        for dialog in shown { dialog.withdraw() }
    }

    /// Lets programs ask again for the password of the keychain, and has requests that wait for it decide anew.
    func noteOpening(of keychain: KeychainPath) {
        tries.noteOpening(of: keychain)
        let topic = PersonQuestion.Topic.openKeychain(keychain)
        decideAnew(topic) { $0.ends(with: topic) }
    }

    func add(to report: inout DaemonReport) { denials.add(to: &report) }

    /// How many questions wait for their turn.
    var waiting: Int { lines.withLock { $0.values.reduce(0) { $0 + $1.waiting.count } } }

    /// The error for a program about which nobody is asked at a place now.
    private func refusal(of question: PersonQuestion, at place: DialogPlace) -> KeychainError? {
        if let refusal = denials.refusal(of: question) { return refusal }
        guard case .terminal = place else { return nil }
        return tries.refusal(of: question) { (try? checking.standing().isClear) ?? false }
    }

    private func withdraw(_ inquiry: PersonInquiry, from place: DialogPlace) {
        let dialog = lines.withLock { lines -> AgentDialog? in
            lines[place]?.waiting.removeAll { $0 === inquiry }
            guard let current = lines[place]?.current, current.inquiry === inquiry else { return nil }
            return current.dialog
        }
        dialog?.withdraw()
    }

    /// Asks the questions of a place, one after the other.
    private func serve(_ place: DialogPlace) {
        while let (inquiry, dialog) = next(at: place) {
            // Another question of the program about the same thing may have been refused while this one waited.
            if let refusal = refusal(of: inquiry.question, at: place) {
                inquiry.answer(.impossible(refusal))
                continue
            }
            if inquiry.question.isSettled {
                inquiry.answer(.again)
                continue
            }
            let answer = dialog.ask(inquiry.question) { [self] in waiting(at: place) }
            // The session has ended that had the display; the caller's terminal may still be there.
            if dialog.hasNoPlace, place == .display, let terminal = inquiry.question.terminal,
                ask(inquiry, at: .terminal(terminal))
            {
                continue
            }
            if case .impossible(let error) = answer {
                log.warning("nobody could be asked", ["reason": error.reason])
            }
            if inquiry.isWithdrawn {
                denials.noteWithdrawal(of: inquiry.question)
            } else if inquiry.isOpen {
                denials.note(answer, to: inquiry.question)
            }
            if answer.refusal == nil { tries.noteRight(inquiry.question) }
            let topic = inquiry.question.subject.topic(settledBy: answer)
            if let topic {
                inquiry.whenSettled { [weak self] in self?.decideAnew(topic) { $0.subject.isAbout(topic) } }
            }
            inquiry.answer(answer)
            if topic != nil { inquiry.awaitSettlement(milliseconds: Self.settlement) }
        }
    }

    /// Has waiting questions decided anew after an answer about a topic, and closes dialogs that have become pointless.
    ///
    /// A request whose question is still open asks again.
    ///
    /// - Parameter concerns: whether a waiting question is decided anew.
    private func decideAnew(_ topic: PersonQuestion.Topic, _ concerns: (PersonQuestion) -> Bool) {
        let (waiting, shown) = lines.withLock { lines -> ([PersonInquiry], [(PersonInquiry, AgentDialog)]) in
            let waiting = lines.values.flatMap { $0.waiting.filter { concerns($0.question) } }
            for place in lines.keys { lines[place]?.waiting.removeAll { concerns($0.question) } }
            return (waiting, lines.values.compactMap(\.current).filter { $0.inquiry.question.ends(with: topic) })
        }
        for inquiry in waiting { inquiry.answer(.again) }
        for (inquiry, dialog) in shown where inquiry.isOpen {
            inquiry.answer(.again)
            dialog.withdraw()
        }
    }

    /// The next question of a place.
    ///
    /// Nil where there is none, and the place has no thread any more.
    private func next(at place: DialogPlace) -> (PersonInquiry, AgentDialog)? {
        lines.withLock { lines in
            guard var line = lines[place], !line.waiting.isEmpty else {
                lines[place] = nil
                return nil
            }
            let inquiry = line.waiting.removeFirst()
            let next = (inquiry, dialog(for: inquiry.question, at: place))
            line.current = next
            lines[place] = line
            return next
        }
    }

    private func dialog(for question: PersonQuestion, at place: DialogPlace) -> AgentDialog {
        // What is typed at a display is the person's.
        guard case .terminal = place else { return AgentDialog(starter, checking, at: place, seconds: seconds) }
        return AgentDialog(
            starter, checking, at: place, seconds: seconds,
            tries: .init(
                take: { [tries] in tries.take(question) }, giveBack: { [tries] in tries.giveBack(question) },
                note: { [tries] in tries.note(question, $0, at: $1) }))
    }

    private func waiting(at place: DialogPlace) -> UInt32 {
        lines.withLock { UInt32(clamping: $0[place]?.waiting.count ?? 0) }
    }

    /// Gives up a place without a thread.
    ///
    /// Questions that came meanwhile hear that nobody can be asked.
    private func abandon(_ place: DialogPlace) {
        let line = lines.withLock { $0.removeValue(forKey: place) }
        for inquiry in line?.waiting ?? [] {
            inquiry.answer(.impossible(KeychainError(.interactionNotAllowed, "no thread is left for a dialog")))
        }
    }
}
