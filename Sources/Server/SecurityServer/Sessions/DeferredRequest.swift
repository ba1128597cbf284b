import ChatelaineIPC
import ChatelaineModel

/// A request that may wait for others' work on one keychain, and so for nothing that look-ups need: it holds neither turn nor frame meanwhile.
final class DeferredRequest<Message: RequestMessage>: PendingRequest {
    private let request: Message
    private var handler: RequestHandler
    /// About how much memory it keeps.
    private let bytes: Int
    private let carryOut: RequestHandler.Handling<Message>

    fileprivate init(
        _ request: Message, _ handler: RequestHandler, bytes: Int,
        _ carryOut: @escaping RequestHandler.Handling<Message>
    ) {
        self.request = request
        self.handler = handler
        self.bytes = bytes
        self.carryOut = carryOut
    }

    func finish(with peer: Peer) throws {
        handler.context.slot.work()
        try peer.recheck()
        if try handler.reply(aside: request, for: peer, carryOut) { return }
        // Anew: what was judged before a person is asked may not be so afterwards.
        let anew = RequestHandler(handler.context.withoutFrame())
        try WaitingRequest(request, anew, bytes: bytes, aside: carryOut).finish(with: peer)
    }
}

extension WaitingRequest {
    /// After each answer it takes its way from the beginning, and holds no turn for what may wait.
    fileprivate convenience init<Message: RequestMessage>(
        _ request: Message, _ handler: RequestHandler, bytes: Int,
        aside carryOut: @escaping RequestHandler.Handling<Message>
    ) {
        self.init(Message.self, handler, bytes: bytes) { handler, peer in
            switch try handler.preparation(for: request) {
            case .isAnswered: return true
            case .waitsForPerson: return false
            case .goesOn: return try handler.reply(aside: request, for: peer, carryOut)
            }
        }
    }
}

extension RequestHandler {
    typealias Handling<Message: RequestMessage> = (Message, inout RequestContext) throws(KeychainError) -> Message.Reply

    /// Finds out whether a request is to go on, and leaves the rest to its ``DeferredRequest``.
    mutating func begin<Message: RequestMessage>(
        aside request: Message, _ carryOut: @escaping Handling<Message>
    ) throws -> (any PendingRequest)? {
        let preparation = try preparation(for: request)
        let (bytes, handler) = (context.frame?.count ?? 0, RequestHandler(context.withoutFrame()))
        switch preparation {
        case .isAnswered: return nil
        case .waitsForPerson: return WaitingRequest(request, handler, bytes: bytes, aside: carryOut)
        case .goesOn: return DeferredRequest(request, handler, bytes: bytes, carryOut)
        }
    }

    /// What came of a request's turn.
    fileprivate enum Preparation {
        /// It was refused.
        case isAnswered
        /// A person is to be asked about the caller.
        case waitsForPerson
        case goesOn
    }

    /// Finds out, in its turn, whether a request has what it needs; refuses it where it has not.
    fileprivate mutating func preparation<Message: RequestMessage>(for request: Message) throws -> Preparation {
        let slot = context.slot
        return try slot.requests.take(for: slot) {
            switch tried(request, Self.keepContents) {
            case .success: return .goesOn
            case .failure(let error):
                if isWaiting(because: error) { return .waitsForPerson }
                try refuse(Message.self, because: error)
                return .isAnswered
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

    /// Answers with nothing held but places; false where a person has to be asked first.
    fileprivate mutating func reply<Message: RequestMessage>(
        aside request: Message, for peer: Peer, _ carryOut: Handling<Message>
    ) throws -> Bool {
        defer { context.release() }
        let result: Result<Message.Reply, KeychainError>
        switch Result(catching: { () throws(KeychainError) in try takePlaces(for: request) }) {
        case .failure(let error): result = .failure(error)
        case .success(let places):
            defer { places.giveBack() }
            // Others chose how long it waited.
            if request.work != .none { try peer.recheck() }
            result = Result { () throws(KeychainError) in try carryOut(request, &context) }
        }
        switch result {
        case .success(let body):
            // It took its time as well, and what came of it is for the program that asked.
            if request.work != .none { try peer.recheck() }
            try answer(body)
        case .failure(let error):
            if isWaiting(because: error) { return false }
            try refuse(Message.self, because: error)
        }
        return true
    }

    /// Waits for places, holding nothing; who looks for primes waits for a place for that first, since it takes longer than all else.
    ///
    /// What no process works for waits for a keychain alone, and in no line: a lock stands above all that was asked for before it.
    private func takePlaces(for request: some RequestMessage) throws(KeychainError) -> HeldSlots {
        var places = HeldSlots()
        guard request.work != .none else { return places }
        let isMaking = (request as? any KeyGenerationRequest)?.pair.kind == .rsa
        for budget in (isMaking ? [context.services.makings] : []) + [context.services.asides] {
            do throws(KeychainError) {
                places.shares.append((budget, try budget.take(1, for: context.slot, milliseconds: Self.patience)))
            } catch {
                places.giveBack()
                throw error
            }
        }
        return places
    }
}

/// Places among those that work is done for.
private struct HeldSlots {
    var shares: [(budget: Budget, share: Budget.Share)] = []

    func giveBack() { for (budget, share) in shares { budget.give(back: share) } }
}

/// A request that makes a key, for which primes may be looked for.
protocol KeyGenerationRequest { var pair: NewKeyPair { get } }

extension MakeKey: KeyGenerationRequest {}
extension MakeKeychainKey: KeyGenerationRequest {}
