import ChatelaineIPC
import ChatelaineModel

/// A request that waits for a person: all that going on takes, and nothing that others wait for.
///
/// A reference, so that having none costs a look-up nothing.
final class WaitingRequest {
    let request: Request
    let access: Authorisation
    /// About how much memory it keeps.
    let bytes: Int

    init(_ request: Request, _ access: Authorisation, bytes: Int) {
        self.request = request
        self.access = access
        self.bytes = bytes
    }
}

/// The phases between a request and its reply, of which the wait is the only one that holds nothing.
extension RequestHandler {
    /// Takes a request as far as it gets without a person: to its reply, or to a wait. Its frame is needed no longer.
    func begin(
        _ request: Request, frame: UnsafeRawBufferPointer, on channel: FrameChannel,
        identify: () throws(KeychainError) -> Caller
    ) throws -> WaitingRequest? {
        var access = Authorisation(services.deciders)
        let isAnswered = try seat.turns.take(for: seat) {
            try answer(request, frame: frame, &access, on: channel, identify: identify)
        }
        return isAnswered ? nil : WaitingRequest(request, access, bytes: frame.count)
    }

    /// Waits, and goes on after each answer, until there is a reply.
    ///
    /// - Parameter recheck: throws where the caller is not what it was when it asked, which ends the connection.
    func finish(
        _ waiting: WaitingRequest, on channel: FrameChannel, recheck: () throws -> Void,
        identify: () throws(KeychainError) -> Caller
    ) throws {
        var access = waiting.access
        while let pending = access.pending {
            let answer = try services.inquiries.ask(
                pending.question, for: seat, over: channel.socket, keeping: waiting.bytes)
            try recheck()
            let isAnswered = try seat.turns.take(for: seat) {
                try goOn(with: answer, waiting.request, &access, on: channel, identify: identify)
            }
            if isAnswered { return }
        }
    }

    private func goOn(
        with answer: Result<PersonAnswer, KeychainError>, _ request: Request, _ access: inout Authorisation,
        on channel: FrameChannel, identify: () throws(KeychainError) -> Caller
    ) throws -> Bool {
        let refusal: KeychainError?
        switch answer {
        case .success(let answer): refusal = answer.refusal
        case .failure(let error): refusal = error
        }
        if let refusal {
            try refuse(request, because: refusal, caller: try? identify(), on: channel)
            return true
        }
        access.grant()
        return try self.answer(request, frame: nil, &access, on: channel, identify: identify)
    }
}
