import AgentProtocol
import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc

/// One question to a person, shown by a process that ends with the question.
final class AgentDialog: Sendable {
    /// How long a dialog waits for an answer.
    static let seconds: UInt32 = 120
    /// How often the dialog is shown while the typed secret is wrong.
    static let rounds = 3
    /// How often a dialog for a finger alone is shown: until too many fingers were wrong.
    static let fingerRounds = Int(EnclaveWire.matchTries)
    /// Seconds that the agent may take beyond its dialog, since it has to start and end a program.
    private static let grace = 20
    /// Milliseconds for the agent to end by itself and to restore the terminal.
    private static let farewell: Int32 = 2000

    private struct State {
        var isWithdrawn = false
        /// The channel while it is open; otherwise -1.
        var socket: Int32 = -1
        var hasNoPlace = false
    }

    private let starter: any ProcessStarting
    private let passcode: any PasscodeChecking
    private let place: DialogPlace
    private let seconds: UInt32
    private let tries: Tries
    private let state = AdaptiveMutex(State())

    /// Makes a dialog that is not shown yet.
    init(
        _ starter: any ProcessStarting, _ passcode: any PasscodeChecking, at place: DialogPlace, seconds: UInt32,
        tries: Tries = .uncounted
    ) {
        self.starter = starter
        self.passcode = passcode
        self.place = place
        self.seconds = seconds
        self.tries = tries
    }

    /// Whether the agent could not be shown at its place: the display is gone, perhaps.
    var hasNoPlace: Bool { state.withLock { $0.hasNoPlace } }

    /// Closes the dialog, since nobody waits for the answer any more.
    func withdraw() {
        state.withLock { state in
            state.isWithdrawn = true
            if state.socket >= 0 { shutdown(state.socket, Int32(SHUT_RDWR)) }
        }
    }

    /// Asks, and waits for the answer and for the end of the agent.
    ///
    /// - Parameter waiting: how many questions wait for this one.
    func ask(_ question: PersonQuestion, waiting: () -> UInt32) -> PersonAnswer {
        do throws(KeychainError) {
            if case .finger(let matching) = question.proof { return try ask(question, matching, waiting) }
            let standing = try checking(of: question.proof).standing()
            if case .passcode = question.proof, !standing.hasPasscode {
                throw KeychainError(
                    .authFailed, "this needs the passcode, and there is none; `security passcode set` sets one")
            }
            return try ask(question, standing, waiting)
        } catch {
            // After a withdrawal the failure is only its consequence.
            return state.withLock { $0.isWithdrawn } ? .cancelled : .impossible(error)
        }
    }

    /// Asks for a finger alone.
    ///
    /// Each wrong finger leads to a new dialog, since a shown dialog cannot change its text.
    private func ask(
        _ question: PersonQuestion, _ matching: any FingerMatching, _ waiting: () -> UInt32
    ) throws(KeychainError) -> PersonAnswer {
        var dialog = Dialog(question, at: place, seconds: seconds, hasPasscode: true)
        for _ in 0..<Self.fingerRounds {
            dialog.waiting = waiting()
            let finger = FingerWatch(matching, goesOn: false) { [self] in endDialog() }
            let result = Result { () throws(KeychainError) in
                try withAgent { (channel) throws(KeychainError) in try exchange(dialog, over: channel, finger).0 }
            }
            switch (finger.stop(), result) {
            case (.report(let report), _):
                switch report.outcome {
                case .matched: return .allowed
                case .notMatched where report.triesLeft > 0:
                    dialog.problem = .wrong
                    dialog.triesLeft = report.triesLeft
                case .notMatched, .lockedOut: return .wrong
                case .unavailable, .withdrawn: throw Self.noReader
                }
            case (.failure(let error), _): throw error
            case (.nothing, .failure(let error)): throw error
            case (.nothing, .success(.cancelled)): return .cancelled
            case (.nothing, .success(.timedOut)): return .timedOut
            case (.nothing, .success(.fallback)): return .fallback
            case (.nothing, .success(let reply)): throw Self.error(reply)
            }
            guard !state.withLock({ $0.isWithdrawn }) else { return .cancelled }
        }
        return .wrong
    }

    private static var noReader: KeychainError {
        KeychainError(.interactionNotAllowed, "a person has to touch the fingerprint reader, which does not answer")
    }

    private func ask(
        _ question: PersonQuestion, _ standing: PasscodeStanding, _ waiting: () -> UInt32
    ) throws(KeychainError) -> PersonAnswer {
        var finger: FingerWatch?
        if case .passcode(_, let matching?) = question.proof {
            finger = FingerWatch(matching, goesOn: true) { [self] in endDialog() }
        }
        let result = Result { () throws(KeychainError) in
            try withAgent { (channel) throws(KeychainError) in
                try converse(question, standing, over: channel, finger, waiting)
            }
        }
        // A matched finger counts, whatever the dialog returned. Otherwise a secret that was typed before counts.
        if case .report(let report)? = finger?.stop(), report.outcome == .matched { return .allowed }
        return try result.get()
    }

    /// Closes the present dialog; the question stays open.
    private func endDialog() {
        state.withLock { if $0.socket >= 0 { shutdown($0.socket, Int32(SHUT_RDWR)) } }
    }

    /// Starts an agent, runs `body` with the channel to it, and ends the agent.
    private func withAgent<Answer>(
        _ body: (FrameChannel) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        var pair: SocketPair
        do throws(Errno) { pair = try SocketPair() } catch { throw KeychainError(system: error.code, "a socket pair") }
        let channel = FrameChannel(descriptor: pair.takeOurs())
        let pid = try starter.start(channel: pair.theirs.number)
        pair.closeTheirs()
        let end = chatelaine_pidfd_open(pid)
        defer {
            enter(socket: -1)
            shutdown(channel.socket, Int32(SHUT_RDWR))
            if end >= 0 {
                // The name keeps the descriptor open until the wait is over.
                let end = Descriptor(end)
                _ = SocketCalls.poll(end.number, POLLIN, Self.farewell)
            }
            starter.end(pid)
        }
        guard enter(socket: channel.socket) else { throw Self.confused }
        return try body(channel)
    }

    /// Sets the socket whose shutdown ends the dialog; false where the question was withdrawn.
    @discardableResult
    private func enter(socket: Int32) -> Bool {
        state.withLock { state in
            state.socket = socket
            return !state.isWithdrawn
        }
    }

    private func close(_ descriptor: consuming Descriptor) {}

    private func converse(
        _ question: PersonQuestion, _ standing: PasscodeStanding, over channel: FrameChannel, _ finger: FingerWatch?,
        _ waiting: () -> UInt32
    ) throws(KeychainError) -> PersonAnswer {
        let dialog = Dialog(question, at: place, seconds: seconds, hasPasscode: standing.hasPasscode)
        if case .admission(let taking) = question.proof {
            return try choose(dialog, standing, taking, over: channel, waiting)
        }
        if case .keychainAccess = question.proof {
            return try grant(dialog, standing, question.proof, over: channel, waiting)
        }
        return try ask(dialog, standing, question.proof, over: channel, finger, waiting)
    }

    /// Shows a dialog, and shows it again while the typed secret is wrong.
    func ask(
        _ dialog: Dialog, _ standing: PasscodeStanding, _ proof: PersonProof, over channel: FrameChannel,
        _ finger: FingerWatch?, _ waiting: () -> UInt32
    ) throws(KeychainError) -> PersonAnswer {
        var dialog = dialog
        if standing.delay > 0 { dialog.note(.delayed, standing) }
        for _ in 0..<Self.rounds {
            dialog.waiting = waiting()
            let (reply, pipe) = try exchange(dialog, over: channel, finger)
            // The pipe must stay open until the check is over, and optimised code frees an object after its last use.
            defer { withExtendedLifetime(pipe) {} }
            switch reply {
            case .typed:
                guard let place = tries.take() else { return .wrong }
                let verdict = Result { () throws(KeychainError) in try checking(of: proof).check(pipe.number) }
                if case .success(.wrong(let standing)) = verdict {
                    guard tries.note(standing, place) else { return .wrong }
                } else {
                    tries.giveBack()
                }
                switch try verdict.get() {
                case .right: return .allowed
                case .wrong(let standing): dialog.note(.wrong, standing)
                case .delayed(let standing): dialog.note(.delayed, standing)
                }
            case .allowed:
                // Consent is the only proof that a button gives.
                guard case .consent = proof else { throw Self.confused }
                return .allowed
            case .denied: return .denied
            case .cancelled: return .cancelled
            case .timedOut: return .timedOut
            default: throw Self.error(reply)
            }
        }
        return .wrong
    }

    /// Shows the dialog; returns the answer and the pipe with the typed secret.
    func exchange(
        _ dialog: Dialog, over channel: FrameChannel, _ finger: FingerWatch?
    ) throws(KeychainError) -> (DialogReply, ReadingEnd) {
        var ends: [Int32] = [-1, -1]
        guard chatelaine_pipe(&ends) == 0 else { throw KeychainError(system: errno, "a pipe") }
        let reading = ReadingEnd(ends[0])
        let writing = Descriptor(ends[1])
        do {
            channel.setDeadline(seconds: Int(seconds) * dialog.kind.mostShown + Self.grace)
            try channel.send(descriptors: [writing.number]) { dialog.encode(to: &$0) }
            // From here on only the agent has this end, so that the pipe ends when the agent closes it.
            close(writing)
            var reply = try Self.reply(over: channel)
            if reply == .nowhere { state.withLock { $0.hasNoPlace = true } }
            if reply == .shown, let finger {
                finger.start()
                reply = try Self.reply(over: channel)
            }
            return (reply, reading)
        } catch FrameError.timedOut {
            return (.timedOut, reading)
        } catch {
            throw Self.confused
        }
    }

    private static func reply(over channel: FrameChannel) throws -> DialogReply {
        try channel.withFrame(limit: AgentWire.maximumFrameBytes) { frame, descriptors in
            guard descriptors.count == 0 else { throw FrameError.unexpected }
            return try DialogReply(frame: frame)
        }
    }

    /// The reading end of the pipe with the typed secret.
    ///
    /// The key custodian reads the secret from it. ``PassphraseProof`` reads the passphrase of a file, and passes it to
    /// formatd.
    final class ReadingEnd {
        private let end: Descriptor
        var number: Int32 { end.number }
        init(_ number: Int32) { end = Descriptor(number) }
    }

    private func checking(of proof: PersonProof) -> any PasscodeChecking { proof.terms.checking ?? passcode }

    static var confused: KeychainError {
        KeychainError(.interactionNotAllowed, "a person has to allow this, and the dialog has failed; see the log")
    }

    static func error(_ reply: DialogReply) -> KeychainError {
        let reason =
            switch reply {
            case .nowhere: "the calling program has no terminal of yours, and securityd knows of no display"
            case .noPinentry: "no pinentry is installed, by which dialogs are shown"
            case .unsafePinentry: "others than root can change \(PinentryName.standard), or a folder above it"
            case .noPasscode:
                "in a terminal only a passcode allows it, and there is none; `security passcode set` sets one"
            default: "the pinentry that shows dialogs does not work"
            }
        return KeychainError(.interactionNotAllowed, "a person has to allow this, and nobody can be asked: \(reason)")
    }
}

extension AgentDialog {
    /// Counts secrets that are typed, where the caller could have typed them.
    struct Tries: Sendable {
        /// Takes the place of a typed secret, which may then be checked; followed by `note` or `giveBack`.
        let take: @Sendable () -> DialogTries.Place?
        let giveBack: @Sendable () -> Void
        /// Notes a wrong secret, and says whether another one may be typed.
        let note: @Sendable (PasscodeStanding, DialogTries.Place) -> Bool

        static let uncounted = Tries(take: { .uncounted }, giveBack: {}, note: { _, _ in true })
    }
}
