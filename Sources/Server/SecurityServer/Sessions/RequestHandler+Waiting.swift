import CallerIdentity
import ChatelaineIPC
import ChatelaineModel

/// A request that goes on after its frame is done.
///
/// Other requests do not wait for it.
///
/// It is a reference type, so that a look-up pays nothing for having none.
protocol PendingRequest: AnyObject {
    func finish(with peer: Peer) throws
}

/// The process at the other end of a connection, for a request that outlasts its frame.
struct Peer {
    /// Checks that the caller still runs the program that it ran when it asked.
    ///
    /// Throws otherwise, which ends the connection.
    let recheck: () throws -> Void
    /// Checks that a further piece comes from the caller; throws otherwise.
    let inspect: FrameChannel.Inspection
    /// A descriptor that becomes readable when the caller has ended; -1 where there is none.
    var end: Int32 = -1
    /// Finds the controlling terminal of the caller.
    ///
    /// Called when a person has to be asked.
    var terminal: () -> String? = { nil }
    /// Finds the program of the caller's parent.
    ///
    /// Called when a person is asked about an item of a file keychain.
    var parent: () -> String? = { nil }
    /// Finds out whether foreign code was loaded into the caller at its start.
    ///
    /// Called when a person could have the answer remembered.
    var preloading: () -> Preloading = { .unknown }
    /// Remembers, until the process ends, what a person said about the change of the program, and has the program
    /// identified again.
    var decide: (ChangeAnswer?) -> Void = { _ in }
}

/// A request that waits for a person.
///
/// It keeps all that it needs to go on, and nothing that others wait for.
final class WaitingRequest: PendingRequest {
    private(set) var handler: RequestHandler
    /// Takes the request on; returns whether it was answered.
    private let reply: (inout RequestHandler, Peer) throws -> Bool
    /// Sends the reply to an answer of a person that ends the request.
    private let conclude: (RequestHandler, Result<PersonAnswer, KeychainError>, KeychainError) throws -> Void
    /// About how much memory the request keeps.
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

    /// Waits for a person, and goes on after each answer, until there is a reply.
    func finish(with peer: Peer) throws {
        defer { handler.context.access.end() }
        while let pending = handler.context.access.pending {
            let context = handler.context
            var question = pending.question
            question.terminal = peer.terminal()
            if question.subject is KeychainItemUse {
                question.parent = peer.parent()
                question = question.doubting(peer.preloading)
            }
            let answer = try context.services.inquiries.ask(
                question, for: context.slot, over: context.channel.socket, of: peer.end, keeping: bytes
            ) { [self] answer in
                try peer.recheck()
                return settled(answer, of: question, for: peer)
            }
            if try goOn(with: answer, peer) { return }
        }
    }

    private func goOn(with answer: Result<PersonAnswer, KeychainError>, _ peer: Peer) throws -> Bool {
        var refusal: KeychainError?
        switch answer {
        case .success(let answer):
            refusal = answer.refusal
            if handler.isAuthenticating { refusal?.authentication = answer.authenticationFailure }
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
        if case .success(.again) = answer {
            handler.context.access.reconsider()
        } else {
            handler.context.access.grant()
        }
        return try reply(&handler, peer)
    }
}

extension RequestHandler {
    /// Takes a request as far as it gets without a person: to its reply, or to a wait that no longer needs the frame.
    ///
    /// - Parameter concluding: makes a reply of a person's answer, for requests that have such a reply. Other requests
    ///   fail with the error of the answer.
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
