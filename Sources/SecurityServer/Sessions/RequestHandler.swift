import ChatelaineIPC
import ChatelaineModel
import ServerIPC

/// The way of one request: its turn, who asks, what the handler of its family says, and the reply.
///
/// Which handler that is stands in `RequestHandler+Operations.swift`.
struct RequestHandler {
    private var context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    /// Answers a request when it is its turn; throws only what ends the connection.
    mutating func answer<Message: RequestMessage>(
        _ request: Message,
        _ carryOut: (Message, inout RequestContext) throws(KeychainError) -> Message.Reply
    ) throws {
        let seat = context.seat
        try seat.turns.take(for: seat) {
            defer { context.release() }
            var reply = ReplyStream(to: context.channel)
            // The first thing that is written is whether it succeeded; nothing was said before.
            switch tried(request, carryOut) {
            case .success(let body):
                try reply.write { ReplyHeader().encode(to: &$0) }
                try body.encode { value in try reply.write { value(&$0) } }
            case .failure(let error):
                context.services.refusals.note(error, of: Message.name, from: seat, caller: context.knownCaller)
                try reply.write { ReplyHeader(status: error.status, reason: error.reason).encode(to: &$0) }
            }
            try reply.finish()
        }
    }

    /// What the handler says, asked twice where the store turned out not to be the one to ask.
    private mutating func tried<Message: RequestMessage>(
        _ request: Message,
        _ carryOut: (Message, inout RequestContext) throws(KeychainError) -> Message.Reply
    ) -> Result<Message.Reply, KeychainError> {
        let replacements = context.services.opener.replacements
        do throws(KeychainError) { return .success(try attempt(request, carryOut)) } catch {
            guard context.services.opener.isOutdated(since: replacements) else { return .failure(error) }
            // Nothing was changed: the store in its place may well have the answer.
            context.services.log.notice("a request is tried again", ["status": "\(error.status)"])
        }
        context.release()
        return Result { () throws(KeychainError) in try attempt(request, carryOut) }
    }

    private mutating func attempt<Message: RequestMessage>(
        _ request: Message,
        _ carryOut: (Message, inout RequestContext) throws(KeychainError) -> Message.Reply
    ) throws(KeychainError) -> Message.Reply {
        defer { context.leaveKeychain() }
        try context.prepare(for: Message.self)
        return try carryOut(request, &context)
    }
}
