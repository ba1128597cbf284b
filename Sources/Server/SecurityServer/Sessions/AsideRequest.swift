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
        defer { handler.context.release() }
        let body: Message.Reply
        do throws(KeychainError) { body = try carryOut(request, &handler.context) } catch {
            return try handler.refuse(Message.self, because: error)
        }
        try handler.answer(body)
    }
}

extension RequestHandler {
    typealias Handling<Message: RequestMessage> = (Message, inout RequestContext) throws(KeychainError) -> Message.Reply

    /// Finds out whether a request is to go on, and leaves the rest to its ``AsideRequest``.
    mutating func begin<Message: RequestMessage>(
        aside request: Message, _ carryOut: @escaping Handling<Message>
    ) throws -> (any UnfinishedRequest)? {
        let slot = context.slot
        return try slot.requests.take(for: slot) {
            switch tried(request, { _, _ throws(KeychainError) in }) {
            case .success: return AsideRequest(request, RequestHandler(context.withoutFrame()), carryOut)
            case .failure(let error):
                try refuse(Message.self, because: error)
                return nil
            }
        }
    }
}
