import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol

/// How the custodian carries out one kind of request: by which function, and what has to come with the request.
///
/// Each family lists its own routes beside its functions, and ``EnclaveRouter`` finds the one of a request.
struct EnclaveRoute: Sendable {
    /// A function that carries out a request with the passcodes that came with it.
    ///
    /// The last argument says whether the client still waits; requests that wait for a person ask it.
    typealias Function<Request: EnclaveRequest> =
        @Sendable (Request, Enclave, [SecretBytes], () -> Bool) throws(KeychainError) -> Request.Reply
    /// Reads a request from a channel and answers it; throws where the channel is to be closed.
    typealias Serving =
        @Sendable (EnclaveRequestReader, ChannelServer, borrowing DescriptorList, _ channel: Int32) throws
        -> Result<any EnclaveReply, KeychainError>

    /// Keeps a function until a request of its kind asks for it by its type.
    final class Box<Request: EnclaveRequest>: Sendable {
        let carryOut: Function<Request>

        init(_ carryOut: @escaping Function<Request>) { self.carryOut = carryOut }
    }

    /// The kind of request.
    let request: any EnclaveRequest.Type
    let serve: Serving
    /// The ``Function`` of this kind of request, boxed; nil where only the server of channels has what it takes.
    let function: (any Sendable)?

    /// A request with which nothing comes.
    ///
    /// - Parameter needsFolder: whether the process has to end instead where another folder is in the place of its
    ///   state folder.
    init<Request: EnclaveRequest>(
        needsFolder: Bool = false,
        _ carryOut: @escaping @Sendable (Request, Enclave) throws(KeychainError) -> Request.Reply
    ) {
        request = Request.self
        serve = { reader, server, descriptors, _ in
            let request: Request = try reader.read()
            try ChannelServer.checkIsEmpty(descriptors)
            if needsFolder { server.endIfDisplaced() }
            return server.answer { (enclave) throws(KeychainError) in try carryOut(request, enclave) }
        }
        function = Box<Request> { (request, enclave, _, _) throws(KeychainError) in try carryOut(request, enclave) }
    }

    /// A request with which passcodes or passwords come, as many as it says.
    init<Request: EnclaveSecretRequest>(
        secrets carryOut: @escaping @Sendable (Request, Enclave, [SecretBytes]) throws(KeychainError) -> Request.Reply
    ) {
        request = Request.self
        serve = { reader, server, descriptors, _ in
            let request: Request = try reader.read()
            return try server.answer(request.passcodes, descriptors) { (enclave, passcodes) throws(KeychainError) in
                try carryOut(request, enclave, passcodes)
            }
        }
        function = Box<Request> { (request, enclave, passcodes, _) throws(KeychainError) in
            let count = request.passcodes?.count ?? 0
            guard passcodes.count == count else {
                throw KeychainError(.param, "\(count) passcodes belong to the request, and \(passcodes.count) came")
            }
            return try carryOut(request, enclave, passcodes)
        }
    }

    /// A request that waits for a person's action, and that the end of its channel withdraws.
    init<Request: EnclaveMatchRequest>(
        waiting carryOut: @escaping @Sendable (Request, Enclave, () -> Bool) throws(KeychainError) -> Request.Reply
    ) {
        request = Request.self
        serve = { reader, server, descriptors, channel in
            let request: Request = try reader.read()
            try ChannelServer.checkIsEmpty(descriptors)
            return server.answerWaiting(on: channel) { (enclave, isAwaited) throws(KeychainError) in
                try carryOut(request, enclave, isAwaited)
            }
        }
        function = Box<Request> { (request, enclave, _, isAwaited) throws(KeychainError) in
            try carryOut(request, enclave, isAwaited)
        }
    }

    /// A request about the process and its channels, which needs no keys.
    init<Request: EnclaveRequest>(
        process carryOut:
            @escaping @Sendable (Request, ChannelServer, borrowing DescriptorList) throws ->
            Result<Request.Reply, KeychainError>
    ) {
        request = Request.self
        serve = { reader, server, descriptors, _ in
            try carryOut(try reader.read(), server, descriptors).map { $0 as any EnclaveReply }
        }
        function = nil
    }
}

/// The routes of all requests, by their numbers on the wire.
struct EnclaveRouter: Sendable {
    static let shared = EnclaveRouter([
        StoreRequests.routes, RowRequests.routes, PasscodeRequests.routes, AuthenticationRequests.routes,
        KeychainRequests.routes, KeyRequests.routes, ChannelServer.routes,
    ])

    /// For each possible number of an operation its route.
    private let routes: [EnclaveRoute?]

    /// Traps where a request has no route or two of them, which the first request would show.
    init(_ lists: [[EnclaveRoute]]) {
        let all = lists.joined()
        var routes: [EnclaveRoute?] = Array(repeating: nil, count: Int(UInt8.max) + 1)
        for operation in EnclaveOperation.allCases {
            let fitting = all.filter { $0.request == operation.request }
            precondition(fitting.count == 1, "\(operation) needs one route of \(operation.request)")
            routes[Int(operation.rawValue)] = fitting.first
        }
        self.routes = routes
    }

    func route(of operation: EnclaveOperation) -> EnclaveRoute? { routes[Int(operation.rawValue)] }
}

extension Enclave {
    /// Carries out one request, as a channel has it carried out.
    ///
    /// - Parameters:
    ///   - passcodes: the passcodes that came with the request.
    ///   - isAwaited: whether the client still waits, asked by requests that wait for a person.
    package func answer<Request: EnclaveRequest>(
        _ request: Request, passcodes: [SecretBytes] = [], while isAwaited: () -> Bool = { true }
    ) -> Result<Request.Reply, KeychainError> {
        let route = EnclaveRouter.shared.route(of: Request.operation)
        guard let function = route?.function as? EnclaveRoute.Box<Request> else {
            return .failure(KeychainError(.param, "the process that has the channels carries this out"))
        }
        return Result { () throws(KeychainError) in try function.carryOut(request, self, passcodes, isAwaited) }
    }
}
