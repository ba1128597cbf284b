import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem

/// The requests that wait for a person, limited in number.
///
/// A waiting request holds no turn, no transaction, no lock and no share of a budget. Its connection counts neither
/// among those of its process nor among those of its user. It keeps only its thread and its content.
final class Inquiries: Sendable {
    private struct Waiting {
        var count = 0
        var bytes = 0

        func adding(_ bytes: Int) -> Waiting { Waiting(count: count + 1, bytes: self.bytes + bytes) }

        /// What is left without one request; nil where none is.
        func removing(_ bytes: Int) -> Waiting? {
            count > 1 ? Waiting(count: count - 1, bytes: self.bytes - bytes) : nil
        }
    }

    private struct State {
        var ofOwner: [BudgetOwner: Waiting] = [:]
        var ofUser: [UInt32: Waiting] = [:]
    }

    private let person: (any PersonAsking)?
    private let state = AdaptiveMutex(State())

    /// Makes a place to wait.
    ///
    /// - Parameter person: nil where there is nobody who could be asked.
    init(_ person: (any PersonAsking)?) { self.person = person }

    /// Whether there is anybody to ask.
    var canAsk: Bool { person != nil }

    /// How many requests wait.
    var count: Int { state.withLock { $0.ofUser.values.reduce(0) { $0 + $1.count } } }

    /// Releases what waits for a file keychain that was made, or was opened in another way than by a dialog.
    func noteOpening(of keychain: KeychainPath) { person?.noteOpening(of: keychain) }

    /// Withdraws all open questions, since the device is being locked.
    func close() { person?.close() }

    func add(to report: inout DaemonReport) { person?.add(to: &report) }

    /// Asks, and waits for the answer as long as the connection and the caller last.
    ///
    /// - Parameters:
    ///   - socket: the socket of the connection.
    ///   - process: a descriptor that becomes readable when the caller has ended; -1 where there is none.
    ///   - bytes: what the request keeps in memory meanwhile.
    ///   - settle: carries out or writes down what the answer says. Until then no question that may be settled by it is
    ///     shown.
    /// - Throws: `errSecInteractionNotAllowed` where nobody can be asked, `errSecNotAvailable` where too many requests
    ///   wait already. Where the connection or the caller has ended, the error that ends the
    ///   connection.
    func ask(
        _ question: PersonQuestion, for slot: ConnectionSlot, over socket: Int32, of process: Int32 = -1,
        keeping bytes: Int,
        settling settle: (Result<PersonAnswer, KeychainError>) throws -> Result<PersonAnswer, KeychainError> = { $0 }
    ) throws -> Result<PersonAnswer, KeychainError> {
        let owner = slot.owner
        guard admit(owner, bytes) else {
            return try settle(
                .failure(
                    KeychainError(
                        .notAvailable, "so many calls wait for a person already that this one cannot; try again later"))
            )
        }
        defer { leave(owner, bytes) }
        let inquiry: PersonInquiry
        do throws(KeychainError) { inquiry = try PersonInquiry(question) } catch { return try settle(.failure(error)) }
        defer { inquiry.noteSettlement() }
        guard let person, person.ask(inquiry) else {
            return try settle(.failure(question.subject.unanswered))
        }
        slot.isAsking = true
        defer { slot.isAsking = false }
        if let answer = inquiry.wait(orEndOf: socket, process) { return try settle(.success(answer)) }
        throw slot.isGivenAway ? SessionError.givenAway as any Error : FrameError.closed
    }

    /// Finds out whether one more request may wait, and counts it.
    ///
    /// A program has as much memory for its waiting requests as the largest one takes, so that others find some.
    private func admit(_ owner: BudgetOwner, _ bytes: Int) -> Bool {
        let bytes = Self.counted(bytes)
        return state.withLock { state in
            let program = state.ofOwner[owner] ?? Waiting()
            let user = state.ofUser[owner.user] ?? Waiting()
            guard program.count < SessionLimits.inquiriesPerProgram, user.count < SessionLimits.inquiriesPerUser,
                program.bytes + bytes <= FrameLimits.requestBytes, user.bytes + bytes <= SessionLimits.bytesInFlight
            else { return false }
            state.ofOwner[owner] = program.adding(bytes)
            state.ofUser[owner.user] = user.adding(bytes)
            return true
        }
    }

    private func leave(_ owner: BudgetOwner, _ bytes: Int) {
        let bytes = Self.counted(bytes)
        state.withLock { state in
            state.ofOwner[owner] = state.ofOwner[owner]?.removing(bytes)
            state.ofUser[owner.user] = state.ofUser[owner.user]?.removing(bytes)
        }
    }

    /// The bytes that count; small requests are bounded by their number.
    private static func counted(_ bytes: Int) -> Int { bytes > SessionLimits.smallFrame ? bytes : 0 }
}
