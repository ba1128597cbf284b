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
    }

    private struct State {
        var ofOwner: [BudgetOwner: Int] = [:]
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

    /// Withdraws all open questions, since the device is being locked.
    func close() { person?.close() }

    func add(to report: inout DaemonReport) { person?.add(to: &report) }

    /// Asks, and waits for the answer as long as the connection lasts.
    ///
    /// - Parameters:
    ///   - socket: the socket of the connection.
    ///   - bytes: what the request keeps in memory meanwhile.
    /// - Throws: `errSecInteractionNotAllowed` where nobody can be asked, `errSecNotAvailable` where too many requests
    ///   wait already. Where the connection has ended, the error that ended it.
    func ask(
        _ question: PersonQuestion, for slot: ConnectionSlot, over socket: Int32, keeping bytes: Int
    ) throws -> Result<PersonAnswer, KeychainError> {
        let owner = slot.owner
        guard admit(owner, bytes) else {
            return .failure(
                KeychainError(
                    .notAvailable, "so many calls wait for a person already that this one cannot; try again later"))
        }
        defer { leave(owner, bytes) }
        let inquiry: PersonInquiry
        do throws(KeychainError) { inquiry = try PersonInquiry(question) } catch { return .failure(error) }
        guard let person, person.ask(inquiry) else {
            return .failure(question.unanswered)
        }
        slot.isAsking = true
        defer { slot.isAsking = false }
        if let answer = inquiry.wait(orEndOf: socket) { return .success(answer) }
        throw slot.isGivenAway ? SessionError.givenAway as any Error : FrameError.closed
    }

    private func admit(_ owner: BudgetOwner, _ bytes: Int) -> Bool {
        state.withLock { state in
            let user = state.ofUser[owner.user] ?? Waiting()
            guard state.ofOwner[owner, default: 0] < SessionLimits.inquiriesPerProgram,
                user.count < SessionLimits.inquiriesPerUser, user.bytes + bytes <= SessionLimits.bytesInFlight
            else { return false }
            state.ofOwner[owner, default: 0] += 1
            state.ofUser[owner.user] = Waiting(count: user.count + 1, bytes: user.bytes + bytes)
            return true
        }
    }

    private func leave(_ owner: BudgetOwner, _ bytes: Int) {
        state.withLock { state in
            state.ofOwner[owner, default: 1] -= 1
            if state.ofOwner[owner] == 0 { state.ofOwner[owner] = nil }
            let user = state.ofUser[owner.user] ?? Waiting()
            state.ofUser[owner.user] = user.count > 1 ? Waiting(count: user.count - 1, bytes: user.bytes - bytes) : nil
        }
    }
}
