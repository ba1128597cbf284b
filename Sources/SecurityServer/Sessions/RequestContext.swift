import ChatelaineIPC
import ChatelaineModel
import ItemStore

/// One request on its way: where it came from, and what was found to be there before it is carried out.
struct RequestContext {
    let services: Services
    let seat: Seat
    let channel: FrameChannel
    /// The request as it came, lent.
    let frame: UnsafeRawBufferPointer
    /// Who asks, or why nobody knows.
    private let identify: () throws(KeychainError) -> Caller

    /// Who asks, as far as that was found out.
    private(set) var knownCaller: Caller?
    private var openedKeychain: OpenedKeychain?
    private var share: Budget.Share?

    init(
        services: Services, seat: Seat, channel: FrameChannel, frame: UnsafeRawBufferPointer,
        identify: @escaping () throws(KeychainError) -> Caller
    ) {
        self.services = services
        self.seat = seat
        self.channel = channel
        self.frame = frame
        self.identify = identify
    }

    /// Finds out what a request of this kind needs; throws why it is not there.
    mutating func prepare<Message: RequestMessage>(for _: Message.Type) throws(KeychainError) {
        switch Message.needs {
        case .admittedCaller:
            openedKeychain =
                Message.isChange ? try services.opener.keychain() : try services.opener.keychainForReading()
            _ = try identified().admitted()
        case .knownCaller:
            openedKeychain = try services.opener.keychain()
            _ = try identified()
        case .knownCallerIfOpen:
            openedKeychain = try? services.opener.keychain()
            if openedKeychain != nil { _ = try identified() }
        case .nothing: break
        }
    }

    /// Lets go of the keychain, which may have to be closed before another can be opened in its place.
    mutating func leaveKeychain() { openedKeychain = nil }

    /// Who asks; throws why nobody knows.
    mutating func identified() throws(KeychainError) -> Caller {
        let caller = try identify()
        knownCaller = caller
        return caller
    }

    /// The keychain, for a request that needs an open one.
    var opened: OpenedKeychain {
        get throws(KeychainError) {
            guard let openedKeychain else { throw Self.unprepared }
            return openedKeychain
        }
    }

    /// Who asks, for a request that needs to know.
    var caller: Caller {
        get throws(KeychainError) {
            guard let knownCaller else { throw Self.unprepared }
            return knownCaller
        }
    }

    private static var unprepared: KeychainError {
        KeychainError(.internalComponent, "a request was carried out without what it needs")
    }

    /// What the store remembers of a change: who asks for it, and under which number.
    func changeRequest(_ identifier: RequestIdentifier) throws(KeychainError) -> ChangeRequest {
        try opened.requests.request(of: caller.principal, identifier, frame)
    }

    /// Waits for memory for a large answer, which is held until ``release()``.
    mutating func reserveLargeReply() throws(KeychainError) {
        share = try services.output.take(SessionLimits.largeReplyBytes, for: seat)
        // Others wait for what this one holds.
        channel.setPatience(seconds: SessionLimits.largeReplySeconds)
    }

    /// Gives back what was reserved.
    mutating func release() {
        if let share { services.output.give(back: share) }
        share = nil
    }
}
