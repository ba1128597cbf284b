import ChatelaineIPC
import ChatelaineModel

/// A request that may wait for other requests' work on one keychain.
///
/// It holds no turn and no frame meanwhile, so that look-ups never wait for it.
final class DeferredRequest<Message: RequestMessage>: PendingRequest {
    private let request: Message
    private var handler: RequestHandler
    /// About how much memory the request keeps.
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
        // A new handler: judgements from before a person is asked may not hold afterwards.
        let anew = RequestHandler(handler.context.withoutFrame())
        try WaitingRequest(request, anew, bytes: bytes, aside: carryOut).finish(with: peer)
    }
}

extension WaitingRequest {
    /// Makes a request that starts from the beginning after each answer, and holds no turn for the part that may wait.
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
    /// A function that carries out a request.
    typealias Handling<Message: RequestMessage> =
        @Sendable (Message, inout RequestContext) throws(KeychainError) -> Message.Reply

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

    /// The result of a request's turn.
    fileprivate enum Preparation {
        /// The request was refused.
        case isAnswered
        /// A person is to be asked about the caller.
        case waitsForPerson
        case goesOn
    }

    /// Finds out, in the request's turn, whether the request has what it needs; refuses it otherwise.
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

    /// Computes the digest by which a repeated change is recognised, while there is a frame to compute it from.
    private static func keepContents<Message: RequestMessage>(
        of request: Message, _ context: inout RequestContext
    ) throws(KeychainError) {
        guard [.admittedCaller, .knownCaller].contains(Message.needs), let change = request as? any ChangeMessage else {
            return
        }
        _ = try context.changeRequest(change.identifier)
    }

    /// How long a request waits for a place, in milliseconds: the time of some of the largest keys.
    private static var patience: Int { 180_000 }

    /// Answers while it holds nothing but places; false where a person has to be asked first.
    fileprivate mutating func reply<Message: RequestMessage>(
        aside request: Message, for peer: Peer, _ carryOut: Handling<Message>
    ) throws -> Bool {
        defer { context.release() }
        let result: Result<Message.Reply, KeychainError>
        switch Result(catching: { () throws(KeychainError) in try takePlaces(for: request) }) {
        case .failure(let error): result = .failure(error)
        case .success(let places):
            defer { places.giveBack() }
            // Other programs decided how long the request waited, so the caller is checked again.
            if request.work != .none { try peer.recheck() }
            result = Result { () throws(KeychainError) in try carryOut(request, &context) }
        }
        switch result {
        case .success(let body):
            // The work took time too, and the result is for the program that asked.
            if request.work != .none { try peer.recheck() }
            try answer(body)
        case .failure(let error):
            if isWaiting(because: error) { return false }
            try refuse(Message.self, because: error)
        }
        return true
    }

    /// Waits for places while it holds nothing.
    ///
    /// A request that looks for primes first waits for a place among those, since that takes longest.
    ///
    /// A request without work in another process waits only for its keychain, and in no line. A lock must overtake
    /// everything that was asked for before it.
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

/// The places that one request holds.
private struct HeldSlots {
    var shares: [(budget: Budget, share: Budget.Share)] = []

    func giveBack() { for (budget, share) in shares { budget.give(back: share) } }
}

/// A request that makes a key, which may require a search for primes.
protocol KeyGenerationRequest { var pair: NewKeyPair { get } }

extension MakeKey: KeyGenerationRequest {}
extension MakeKeychainKey: KeyGenerationRequest {}
