import ChatelaineIPC
import ChatelaineModel
import ServerIPC

/// The way of one request, in phases: decoded by its ``Session``, it is *resolved* (which keychain, who asks, which rows), *authorised*
/// (each opened row, each operation), *carried out* by the handler of its family, and *replied* to. Where a person has to be
/// asked first, it *waits* (`RequestHandler+Waiting.swift`), and is then resolved, authorised and carried out from the beginning.
///
/// Whatever was found out before a wait counts afterwards only where it is still so. What a person has allowed is in the
/// ``Authorisation``, which goes along with the request. Which handler is whose stands in `RequestHandler+Operations.swift`.
struct RequestHandler {
    var context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    /// Answers a request when it is its turn; throws only what ends the connection.
    ///
    /// - Returns: whether it was answered; otherwise nothing was done or said, and the context has what is to be asked.
    mutating func reply<Message: RequestMessage>(
        to request: Message,
        _ carryOut: (Message, inout RequestContext) throws(KeychainError) -> Message.Reply
    ) throws -> Bool {
        let slot = context.slot
        return try slot.requests.take(for: slot) {
            defer { context.release() }
            // The first thing that is written is whether it succeeded; nothing was said before.
            switch tried(request, carryOut) {
            case .success(let body):
                try answer(body)
            case .failure(let error):
                if isWaiting(because: error) { return false }
                try refuse(Message.self, because: error)
            }
            return true
        }
    }

    /// Whether that error says that a person is to be asked, and somebody can be.
    func isWaiting(because error: KeychainError) -> Bool {
        error.cause == .needsPerson && context.access.pending != nil && context.services.inquiries.canAsk
    }

    /// Answers with what follows the header of success.
    func answer(_ body: some ReplyBody) throws {
        var reply = ReplyStream(to: context.channel)
        try reply.write { ReplyHeader().encode(to: &$0) }
        try body.encode { value in try reply.write { value(&$0) } }
        try reply.finish()
    }

    /// Answers with an error, and nothing else.
    func refuse<Message: RequestMessage>(_: Message.Type, because error: KeychainError) throws {
        context.services.refusals.note(error, of: Message.name, from: context.slot, caller: context.knownCaller)
        var reply = ReplyStream(to: context.channel)
        let neededFile = error.cause == .needsFile ? context.access.neededFile : nil
        try reply.write {
            ReplyHeader(status: error.status, reason: error.reason, neededFile: neededFile).encode(to: &$0)
        }
        try reply.finish()
    }

    /// What the handler says, asked twice where the store turned out not to be the one to ask, or where what a person had shown was forgotten.
    mutating func tried<Message: RequestMessage, Answer>(
        _ request: Message,
        _ carryOut: (Message, inout RequestContext) throws(KeychainError) -> Answer
    ) -> Result<Answer, KeychainError> {
        let replacements = context.keychainSlot.replacements
        do throws(KeychainError) { return .success(try attempt(request, carryOut)) } catch {
            if error.cause != .needsPerson, context.keychainSlot.isOutdated(since: replacements) {
                // Nothing was changed: the store in its place may well have the answer. What a person has allowed is allowed.
                context.services.log.notice("a request is tried again", ["status": "\(error.status)"])
            } else if !context.access.forgetSatisfied() {
                return .failure(error)
            }
            // Else the custodian has meanwhile forgotten what was shown, and is asked what is needed.
        }
        context.release()
        return Result { () throws(KeychainError) in try attempt(request, carryOut) }
    }

    private mutating func attempt<Message: RequestMessage, Answer>(
        _ request: Message,
        _ carryOut: (Message, inout RequestContext) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        defer { context.leaveKeychain() }
        try context.prepare(for: request)
        return try carryOut(request, &context)
    }
}
