import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Sealing
import ServerIPC

/// What is known of announced passcodes before they arrive.
///
/// Each family of requests has its own type.
protocol AnnouncedPasscodes: Sendable {
    /// The descriptors of the passcodes, one for each part of the request, in that order.
    var files: [Int32] { get set }
    /// Finds out for which origin and store the tries count; throws where no passcode can be checked.
    static func asked(by context: inout RequestContext) throws(KeychainError) -> Self
    /// Checks descriptors other than sealed files; nil where only sealed files may come.
    static var look: SocketCalls.Look? { get }
}

extension AnnouncedPasscodes {
    static var look: SocketCalls.Look? { nil }
}

/// A passcode: whose try it is, for which store, and the descriptors to read it from.
package struct GivenPasscode {
    let origin: PasscodeOrigin
    let store: StoreIdentifier
    /// One descriptor for each part of the request, in that order.
    var files: [Int32] = []
    /// Whether the caller holds the custodian's place for it (``EnclaveConnection/withPlace(for:_:)``).
    var hasPlace = false

    package init(origin: PasscodeOrigin, store: StoreIdentifier, files: [Int32] = []) {
        self.origin = origin
        self.store = store
        self.files = files
    }
}

/// A request that has announced passcodes.
///
/// It receives them, passes them unread to the key custodian, and replies with the result.
///
/// Until the passcodes arrive the connection is idle, and its place may be given to another one. While the custodian
/// checks them the connection is busy but holds no turn, so that other requests of the process go on.
final class PasscodeRequest<Message: PasscodeMessage, Given: AnnouncedPasscodes>: PendingRequest {
    typealias Handling = (Message, Given, inout RequestContext) throws(KeychainError) -> Message.Reply

    private let request: Message
    private let announced: Given
    private var handler: RequestHandler
    private let carryOut: Handling

    fileprivate init(
        _ request: Message, _ announced: Given, _ handler: RequestHandler, _ carryOut: @escaping Handling
    ) {
        self.request = request
        self.announced = announced
        self.handler = handler
        self.carryOut = carryOut
    }

    func finish(with peer: Peer) throws {
        let slot = handler.context.slot
        slot.rest()
        let files = try received(peer.inspect)
        // The numbers are valid only while the files are open, and optimised code frees an object after its last use.
        defer { withExtendedLifetime(files) {} }
        slot.work()
        try peer.recheck()
        defer { handler.context.release() }
        let body: Message.Reply
        do throws(KeychainError) {
            var given = announced
            given.files = files.map(\.number)
            body = try carryOut(request, given, &handler.context)
        } catch {
            return try handler.refuse(Message.self, because: error)
        }
        try handler.answer(body)
    }

    /// Receives the descriptors.
    ///
    /// A caller that lends an unsuitable one is told why before the connection ends.
    private func received(_ inspect: @escaping FrameChannel.Inspection) throws -> [File] {
        do { return try receive(inspect) } catch FrameError.unexpected where Given.look != nil {
            try handler.refuse(Message.self, because: LentDescriptors.unreadable)
            throw FrameError.unexpected
        }
    }

    /// Receives the announced parts, each in a frame with one descriptor, and nothing else.
    private func receive(_ inspect: @escaping FrameChannel.Inspection) throws -> [File] {
        let channel = handler.context.channel
        channel.setDeadline(seconds: SessionLimits.passcodeSeconds)
        let files = try request.parts.map { part in
            try channel.withFrame(limit: FrameLimits.handshakeBytes, waits: false, inspect: inspect) {
                frame, descriptors in
                guard try PasscodePart(frame: frame) == part, descriptors.count == 1,
                    let file = descriptors.duplicate(at: 0)
                else { throw FrameError.unexpected }
                return File(file)
            }
        }
        guard !channel.hasSurplus else { throw FrameError.unexpected }
        try channel.refuseDescriptors()
        channel.setDeadline(seconds: nil)
        return files
    }

    /// An owner of one descriptor that can be an element of an array.
    ///
    /// The descriptor is closed at once, as is everything that such a channel lets in.
    private final class File {
        private let file: Descriptor
        var number: Int32 { file.number }
        init(_ file: consuming Descriptor) { self.file = file }
    }
}

extension RequestHandler {
    /// Finds out whether a request with passcodes may go on, says so, and receives the passcodes that it announced.
    mutating func begin<Message: PasscodeMessage, Given: AnnouncedPasscodes>(
        _ request: Message, _ carryOut: @escaping PasscodeRequest<Message, Given>.Handling
    ) throws -> (any PendingRequest)? {
        guard !request.parts.isEmpty else {
            return try begin(request) { (request, context) throws(KeychainError) in
                try carryOut(request, try Given.asked(by: &context), &context)
            }
        }
        let slot = context.slot
        return try slot.requests.take(for: slot) {
            switch tried(request, { _, context throws(KeychainError) in try Given.asked(by: &context) }) {
            case .success(let announced):
                context.channel.admitDescriptors(Given.look)
                var reply = ReplyStream(to: context.channel)
                try reply.write { ReplyHeader().encode(to: &$0) }
                try reply.finish()
                return PasscodeRequest(request, announced, RequestHandler(context.withoutFrame()), carryOut)
            case .failure(let error):
                try refuse(Message.self, because: error)
                return nil
            }
        }
    }

    /// Begins a command with its passcode, or in the usual way where no passcode came with it.
    mutating func begin<Command: RequestMessage>(
        _ request: PasscodeProtected<Command>,
        _ carryOut: @escaping (Command, GivenPasscode?, inout RequestContext) throws(KeychainError) -> Command.Reply
    ) throws -> (any PendingRequest)? {
        guard request.hasPasscode else {
            return try begin(request.command) { (command, context) throws(KeychainError) in
                try carryOut(command, nil, &context)
            }
        }
        return try begin(request) { (request, passcode: GivenPasscode, context) throws(KeychainError) in
            try carryOut(request.command, passcode, &context)
        }
    }
}

extension GivenPasscode: AnnouncedPasscodes {
    static func asked(by context: inout RequestContext) throws(KeychainError) -> GivenPasscode {
        guard context.isOpen else {
            throw KeychainError(
                .param, "the keychain does not open, so nobody can tell whether a passcode is right: leave it out")
        }
        let opened = try context.opened
        return GivenPasscode(
            origin: .program(try opened.requests.program(of: context.caller.principal)), store: opened.store.identifier)
    }
}

extension RequestContext {
    /// Has the custodian check the passcode of a command that lowers protection.
    ///
    /// Throws where a passcode exists and did not come.
    ///
    /// A keychain that does not open cannot show whether it has a passcode, and such a command may be the remedy. That
    /// is what the request itself has found out when it was prepared (``RequestNeeds/knownCallerIfOpen``).
    ///
    /// - Parameters:
    ///   - deed: what the command does, as “what … needs it” goes on.
    ///   - command: the command that asks for the passcode.
    func requirePasscode(
        _ passcode: GivenPasscode?, for deed: String, command: String
    ) throws(KeychainError) {
        guard let passcode else {
            guard isOpen else { return }
            let store = try opened.store.identifier
            guard try !services.enclave.passcodeReport(for: .agent, in: store).hasPasscode else {
                throw KeychainError(
                    .authFailed,
                    "there is a passcode, and what \(deed) needs it: use the command “\(command)”, which asks for it")
            }
            return
        }
        try services.enclave.call(VerifyPasscode(passcode.origin, in: passcode.store), passcodes: passcode.files)
            .requireRight()
    }
}
