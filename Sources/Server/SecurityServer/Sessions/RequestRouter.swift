import ChatelaineIPC
import ChatelaineModel

/// The routes of all requests, by their numbers on the wire.
struct RequestRouter: Sendable {
    /// The router of this securityd.
    static let shared = RequestRouter([
        ItemHandler.routes, StatusHandler.routes, ApplicationHandler.routes, TeamHandler.routes,
        AdoptionHandler.routes, StoreHandler.routes, ChangeHandler.routes, DeviceHandler.routes,
        AuthenticationHandler.routes, KeychainHandler.routes, LendingHandler.routes, PreferencesHandler.routes,
        KeychainItemHandler.routes, KeychainKeyHandler.routes, TrustHandler.routes, FormatHandler.routes,
        KeyHandler.routes, CertificateHandler.routes,
    ])

    /// For each possible number of an operation its route.
    private let routes: [RequestRoute?]

    /// Traps where a request has no route or two of them, which the first request would show.
    init(_ lists: [[RequestRoute]]) {
        let all = lists.joined()
        var routes: [RequestRoute?] = Array(repeating: nil, count: Int(UInt8.max) + 1)
        for operation in Operation.allCases {
            let fitting = all.filter { $0.message == operation.message }
            precondition(fitting.count == 1, "\(operation) needs one route of \(operation.message)")
            routes[Int(operation.rawValue)] = fitting.first
        }
        self.routes = routes
    }

    func route(of operation: Operation) -> RequestRoute? { routes[Int(operation.rawValue)] }
}

extension RequestHandler {
    /// Begins a request with the function of its route.
    mutating func begin(_ request: RequestReader) throws -> (any PendingRequest)? {
        guard let route = RequestRouter.shared.route(of: request.operation) else { throw FrameError.unexpected }
        return try route.begin(request, &self)
    }

    /// Begins a search.
    ///
    /// One that judges certificates is slow, and so holds no turn.
    mutating func begin<Message: RequestMessage>(
        search request: Message, _ query: ItemQuery, _ find: @escaping Handling<Message>
    ) throws -> (any PendingRequest)? {
        guard query.certificateTerms.needVerdict else { return try begin(request, find) }
        return try begin(aside: request) { (request, context) throws(KeychainError) in
            var handler = RequestHandler(context)
            defer { context = handler.context }
            return try handler.tried(request, find).get()
        }
    }
}
