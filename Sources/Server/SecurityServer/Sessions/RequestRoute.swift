import ChatelaineIPC
import ChatelaineModel

/// How one kind of request begins: which function of a handler carries it out, and what the request holds meanwhile.
///
/// Each handler lists its own routes beside its functions, and ``RequestRouter`` finds the one of a request.
struct RequestRoute: Sendable {
    /// A function that carries out a request with what came in the descriptors that it announced.
    typealias DescriptorHandling<Message: RequestMessage, Given> =
        @Sendable (Message, Given, inout RequestContext) throws(KeychainError) -> Message.Reply

    /// The kind of request.
    let message: any RequestMessage.Type
    /// Reads a request of this kind and begins it.
    let begin: @Sendable (RequestReader, inout RequestHandler) throws -> (any PendingRequest)?

    /// A request that takes one of its program's turns.
    ///
    /// - Parameter concluding: makes a reply of a person's answer, for requests that have such a reply. Other requests
    ///   fail with the error of the answer.
    init<Message: RequestMessage>(
        _ carryOut: @escaping RequestHandler.Handling<Message>,
        concluding: (@Sendable (PersonAnswer) -> Message.Reply?)? = nil
    ) {
        message = Message.self
        begin = { request, handler in try handler.begin(request.read(), carryOut, concluding: concluding) }
    }

    /// A request that may wait for other processes or for another keychain. It holds no turn.
    init<Message: RequestMessage>(aside carryOut: @escaping RequestHandler.Handling<Message>) {
        message = Message.self
        begin = { request, handler in try handler.begin(aside: request.read(), carryOut) }
    }

    /// A search, which holds no turn if it judges certificates.
    init<Message: RequestMessage>(
        search carryOut: @escaping RequestHandler.Handling<Message>, query: @escaping @Sendable (Message) -> ItemQuery
    ) {
        message = Message.self
        begin = { request, handler in
            let search: Message = try request.read()
            return try handler.begin(search: search, query(search), carryOut)
        }
    }

    /// A request that announces descriptors: passcodes, passwords, or files that it lends.
    init<Message: PasscodeMessage, Given: AnnouncedPasscodes>(
        descriptors carryOut: @escaping DescriptorHandling<Message, Given>
    ) {
        message = Message.self
        begin = { request, handler in try handler.begin(request.read(), carryOut) }
    }

    /// A command that may come with a passcode.
    init<Command: RequestMessage>(passcode carryOut: @escaping DescriptorHandling<Command, GivenPasscode?>) {
        message = PasscodeProtected<Command>.self
        begin = { request, handler in try handler.begin(request.read(), carryOut) }
    }
}
