import ChatelaineIPC
import ChatelaineModel
import ServerIPC

/// Takes one request through its phases.
///
/// A ``Session`` decodes the request. It is then *resolved* (which keychain, which caller, which rows) and *authorised*
/// (each opened row, each operation). The handler of its family *carries it out*, and it is *replied* to. Where a
/// person has to be asked first, the request *waits* (`RequestHandler+Waiting.swift`). After the wait it is resolved,
/// authorised and carried out from the beginning.
///
/// A finding from before a wait counts afterwards only where it still holds. What a person has allowed is in the
/// ``Authorisation``, which goes along with the request. A ``RequestRoute`` says which function carries out which
/// request.
struct RequestHandler {
    var context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    /// Answers a request when it is its turn; throws only errors that end the connection.
    ///
    /// - Returns: whether the request was answered. Otherwise nothing was done or sent, and the context has the
    ///   question for a person.
    mutating func reply<Message: RequestMessage>(
        to request: Message,
        _ carryOut: (Message, inout RequestContext) throws(KeychainError) -> Message.Reply
    ) throws -> Bool {
        let slot = context.slot
        return try slot.requests.take(for: slot) {
            defer { context.release() }
            // The header, which is written first, says whether the request succeeded. Nothing was sent before.
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

    /// Whether the error says that a person is to be asked, and somebody can be asked.
    func isWaiting(because error: KeychainError) -> Bool {
        error.cause == .needsPerson && context.access.pending != nil && context.services.inquiries.canAsk
    }

    /// Answers with the header of success and the body.
    func answer(_ body: some ReplyBody) throws {
        var reply = ReplyStream(to: context.channel)
        try reply.write { ReplyHeader().encode(to: &$0) }
        try body.encode { value in try reply.write { value(&$0) } }
        try reply.finish()
    }

    /// Answers with an error and no body.
    func refuse<Message: RequestMessage>(_: Message.Type, because error: KeychainError) throws {
        context.services.refusals.note(error, of: Message.name, from: context.slot, caller: context.knownCaller)
        var reply = ReplyStream(to: context.channel)
        let neededFile = error.cause == .needsFile ? context.access.neededFile : nil
        try reply.write {
            var header = ReplyHeader(status: error.status, reason: error.reason, neededFile: neededFile)
            if Message.tellsAuthentication { header.authentication = authenticationFailure(in: error) }
            header.encode(to: &$0)
        }
        try reply.finish()
    }

    /// Whether a person was to show that they are there, if one was to be asked.
    var isAuthenticating: Bool { context.access.pending?.question.proof.terms.isAuthentication ?? true }

    /// How the authentication failed; nil for any other failure.
    private func authenticationFailure(in error: KeychainError) -> AuthenticationFailure? {
        switch error.cause {
        case .needsPerson, .cannotAsk: isAuthenticating ? .notInteractive : nil
        default: error.authentication
        }
    }

    /// Carries out the request, a second time where the store was replaced or the custodian forgot what the person had
    /// shown.
    mutating func tried<Message: RequestMessage, Answer>(
        _ request: Message,
        _ carryOut: (Message, inout RequestContext) throws(KeychainError) -> Answer
    ) -> Result<Answer, KeychainError> {
        let replacements = context.keychainSlot.replacements
        do throws(KeychainError) { return .success(try attempt(request, carryOut)) } catch {
            if error.cause != .needsPerson, context.keychainSlot.isOutdated(since: replacements) {
                // Nothing was changed, and the store that replaced this one may have the answer. What a person has
                // allowed stays allowed.
                context.services.log.notice("a request is tried again", ["status": "\(error.status)"])
            } else if !context.access.forgetSatisfied() {
                return .failure(error)
            }
            // Otherwise the custodian has forgotten what was shown, and the second attempt finds out what it needs.
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
