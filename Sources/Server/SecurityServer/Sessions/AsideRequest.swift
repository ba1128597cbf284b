import ChatelaineIPC
import ChatelaineModel

/// A request that may wait for others' work on one keychain, and so for nothing that look-ups need: it holds neither turn nor frame meanwhile.
final class AsideRequest<Message: RequestMessage>: UnfinishedRequest {
    private let request: Message
    private var handler: RequestHandler
    private let carryOut: RequestHandler.Handling<Message>

    fileprivate init(
        _ request: Message, _ handler: RequestHandler, _ carryOut: @escaping RequestHandler.Handling<Message>
    ) {
        self.request = request
        self.handler = handler
        self.carryOut = carryOut
    }

    func finish(with peer: Peer) throws {
        handler.context.slot.work()
        try peer.recheck()
        if try handler.reply(aside: request, carryOut) { return }
        try WaitingRequest(request, handler, aside: carryOut).finish(with: peer)
    }
}

extension WaitingRequest {
    /// After each answer it takes its way from the beginning, and holds no turn for what may wait.
    fileprivate convenience init<Message: RequestMessage>(
        _ request: Message, _ handler: RequestHandler, aside carryOut: @escaping RequestHandler.Handling<Message>
    ) {
        self.init(Message.self, handler, bytes: 0) { handler in
            guard try handler.isToGoOn(request) else { return true }
            return try handler.reply(aside: request, carryOut)
        }
    }
}

extension RequestHandler {
    typealias Handling<Message: RequestMessage> = (Message, inout RequestContext) throws(KeychainError) -> Message.Reply

    /// Finds out whether a request is to go on, and leaves the rest to its ``AsideRequest``.
    mutating func begin<Message: RequestMessage>(
        aside request: Message, _ carryOut: @escaping Handling<Message>
    ) throws -> (any UnfinishedRequest)? {
        guard try isToGoOn(request) else { return nil }
        return AsideRequest(request, RequestHandler(context.withoutFrame()), carryOut)
    }

    /// Finds out, in its turn, whether a request has what it needs; refuses it where it has not.
    fileprivate mutating func isToGoOn<Message: RequestMessage>(_ request: Message) throws -> Bool {
        let slot = context.slot
        return try slot.requests.take(for: slot) {
            switch tried(request, Self.keepContents) {
            case .success: return true
            case .failure(let error):
                try refuse(Message.self, because: error)
                return false
            }
        }
    }

    /// What a change is known again by is made of its frame, which is gone later.
    private static func keepContents<Message: RequestMessage>(
        of request: Message, _ context: inout RequestContext
    ) throws(KeychainError) {
        guard [.admittedCaller, .knownCaller].contains(Message.needs), let change = request as? any ChangeMessage else {
            return
        }
        _ = try context.changeRequest(change.identifier)
    }

    /// How long somebody waits for a place, in milliseconds: for some of the largest keys.
    private static var patience: Int { 180_000 }

    /// Answers with nothing held but a place; false where a person has to be asked first.
    fileprivate mutating func reply<Message: RequestMessage>(
        aside request: Message, _ carryOut: Handling<Message>
    ) throws -> Bool {
        defer { context.release() }
        let body: Message.Reply
        do throws(KeychainError) {
            body = try inPlaces(for: request) { (handler) throws(KeychainError) in
                try carryOut(request, &handler.context)
            }
        } catch {
            if isWaiting(because: error) { return false }
            try refuse(Message.self, because: error)
            return true
        }
        try answer(body)
        return true
    }

    /// Waits for a place, holding nothing; who looks for primes waits for a place for that first, since it takes longer than all else.
    private mutating func inPlaces<Message: RequestMessage, Answer>(
        for request: Message, _ body: (inout RequestHandler) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        let (services, slot) = (context.services, context.slot)
        guard let making = request as? any MakingRequest, making.pair.kind == .rsa else {
            let place = try services.asides.take(1, for: slot, milliseconds: Self.patience)
            defer { services.asides.give(back: place) }
            return try body(&self)
        }
        let makings = try services.makings.take(1, for: slot, milliseconds: Self.patience)
        defer { services.makings.give(back: makings) }
        let place = try services.asides.take(1, for: slot, milliseconds: Self.patience)
        defer { services.asides.give(back: place) }
        return try body(&self)
    }
}

/// A request that makes a key, for which primes may be looked for.
protocol MakingRequest { var pair: NewKeyPair { get } }

extension MakeKey: MakingRequest {}
extension MakeKeychainKey: MakingRequest {}
