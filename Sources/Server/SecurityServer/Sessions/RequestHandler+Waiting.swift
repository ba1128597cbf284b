import ChatelaineIPC
import ChatelaineModel

/// A request that is not through when its frame is: it waits, and nobody waits for it.
///
/// A reference, so that having none costs a look-up nothing.
protocol PendingRequest: AnyObject {
    func finish(with peer: Peer) throws
}

/// Who is at the other end of a connection, for a request that outlasts its frame.
struct Peer {
    /// Throws where the caller is not what it was when it asked, which ends the connection.
    let recheck: () throws -> Void
    /// Throws where a further piece is not the caller's.
    let inspect: FrameChannel.Inspection
    /// Its controlling terminal, looked for when somebody has to be asked.
    var terminal: () -> String? = { nil }
    /// The program of its parent, looked for when a person is asked about an item of a file keychain.
    var parent: () -> String? = { nil }
    /// Remembers what a person said of its program's change, until the connection ends, and has it looked at anew.
    var decide: (ChangeAnswer?) -> Void = { _ in }
}

/// A request that waits for a person: all that going on takes, and nothing that others wait for.
final class WaitingRequest: PendingRequest {
    private(set) var handler: RequestHandler
    /// Has it answered, as far as it gets.
    private let reply: (inout RequestHandler, Peer) throws -> Bool
    /// Says what a person's answer comes to that does not let it go on.
    private let conclude: (RequestHandler, Result<PersonAnswer, KeychainError>, KeychainError) throws -> Void
    /// About how much memory it keeps.
    private let bytes: Int

    init<Message: RequestMessage>(
        _: Message.Type, _ handler: RequestHandler, bytes: Int,
        concluding: ((PersonAnswer) -> Message.Reply?)? = nil,
        reply: @escaping (inout RequestHandler, Peer) throws -> Bool
    ) {
        self.handler = handler
        self.bytes = bytes
        self.reply = reply
        conclude = { handler, answer, error in
            if case .success(let answer) = answer, let body = concluding?(answer) {
                try handler.answer(body)
            } else {
                try handler.refuse(Message.self, because: error)
            }
        }
    }

    /// Waits, and goes on after each answer, until there is a reply.
    func finish(with peer: Peer) throws {
        defer { handler.context.access.end() }
        while let pending = handler.context.access.pending {
            let context = handler.context
            var question = pending.question
            question.terminal = peer.terminal()
            if case .keychainItem = question.subject { question.parent = peer.parent() }
            let answer = try context.services.inquiries.ask(
                question, for: context.slot, over: context.channel.socket, keeping: bytes)
            try peer.recheck()
            if try goOn(with: settled(answer, of: pending.question, for: peer), peer) { return }
        }
    }

    private func goOn(with answer: Result<PersonAnswer, KeychainError>, _ peer: Peer) throws -> Bool {
        let refusal: KeychainError?
        switch answer {
        case .success(let answer): refusal = answer.refusal
        case .failure(let error): refusal = error
        }
        if let refusal {
            let slot = handler.context.slot
            try slot.requests.take(for: slot) {
                _ = try? handler.context.identified()
                try conclude(handler, answer, refusal)
            }
            return true
        }
        handler.context.access.grant()
        return try reply(&handler, peer)
    }
}

extension RequestHandler {
    /// Takes a request as far as it gets without a person: to its reply, or to a wait, for which its frame is needed no longer.
    ///
    /// - Parameter concluding: the reply to what a person answered, for requests that have one; others fail with what it comes to.
    mutating func begin<Message: RequestMessage>(
        _ request: Message,
        _ carryOut: @escaping (Message, inout RequestContext) throws(KeychainError) -> Message.Reply,
        concluding: ((PersonAnswer) -> Message.Reply?)? = nil
    ) throws -> (any PendingRequest)? {
        if try reply(to: request, carryOut) { return nil }
        return WaitingRequest(
            Message.self, RequestHandler(context.withoutFrame()), bytes: context.frame?.count ?? 0,
            concluding: concluding
        ) { handler, _ in try handler.reply(to: request, carryOut) }
    }
}
