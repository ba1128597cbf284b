import ChatelaineIPC
import ChatelaineModel
import ItemStore
import StoreEngine

/// One request: where it came from, and what was found for it before it is carried out.
struct RequestContext {
    let services: Services
    let slot: ConnectionSlot
    let channel: FrameChannel
    /// The bytes of the request, borrowed; nil once the request has waited for a person.
    private(set) var frame: UnsafeRawBufferPointer?
    /// What was decided about the request so far.
    var access: Authorisation
    /// Identifies the caller, or throws why that fails.
    private let identify: () throws(KeychainError) -> Caller

    /// The caller, once identified.
    private(set) var knownCaller: Caller?
    private var openedKeychain: OpenedKeychain?
    /// Why the keychain is not open, for a request that can do without it.
    private(set) var openingFailure: KeychainError?
    private let reply: LargeReplyShare
    /// The quota of certificate evaluations of this request.
    ///
    /// It begins anew after a wait for a person.
    private(set) var judgements: CertificateEvaluationQuota

    init(
        services: Services, slot: ConnectionSlot, channel: FrameChannel, frame: UnsafeRawBufferPointer,
        authentication: ConnectionAuthentication? = nil,
        identify: @escaping () throws(KeychainError) -> Caller
    ) {
        self.services = services
        self.slot = slot
        self.channel = channel
        self.frame = frame
        self.identify = identify
        let reply = LargeReplyShare(of: services.output)
        (self.reply, judgements) = (reply, Self.judgements(for: slot, leaving: reply))
        access = Authorisation(RequestAuthentication(services.enclave, of: authentication))
    }

    /// The keychain of the request, unless it is a file keychain.
    var keychainSlot: KeychainSlot { services.keychains.default }

    /// A copy of the request for later, without the frame, which is wiped by then.
    func withoutFrame() -> RequestContext {
        var copy = self
        copy.frame = nil
        copy.judgements = Self.judgements(for: slot, leaving: reply)
        return copy
    }

    /// A quota that releases what the request holds while certificates are judged, so that nobody waits for that.
    private static func judgements(for slot: ConnectionSlot, leaving reply: LargeReplyShare)
        -> CertificateEvaluationQuota
    {
        CertificateEvaluationQuota(isAwaited: { !slot.isLeft }, aside: { reply.release() })
    }

    /// Finds what a request of this kind needs; throws the reason where that is missing.
    mutating func prepare<Message: RequestMessage>(for request: Message) throws(KeychainError) {
        switch Message.needs {
        case .admittedCaller:
            openedKeychain =
                Message.isChange ? try keychainSlot.keychain() : try keychainSlot.keychainForReading()
            let caller = try identified()
            if caller.refusal != nil { try admit(caller, to: request) }
        case .knownCaller:
            openedKeychain = try keychainSlot.keychain()
            _ = try identified()
        case .knownReader:
            openedKeychain = try keychainSlot.keychainForReading()
            _ = try identified()
        case .knownCallerIfOpen:
            do throws(KeychainError) { openedKeychain = try keychainSlot.keychain() } catch { openingFailure = error }
            if openedKeychain != nil { _ = try identified() }
        case .openKeychain: openedKeychain = try keychainSlot.keychain()
        case .nothing: break
        }
    }

    /// Asks for a person who may let in a program that changed (`WaitingRequest+ChangedPrograms.swift`).
    ///
    /// - Throws: the refusal, or, where somebody can be asked, the demand for a person.
    private mutating func admit<Message: RequestMessage>(_ caller: Caller, to request: Message) throws(KeychainError) {
        guard request.mayAskPerson, services.inquiries.canAsk, let change = caller.change,
            let list = services.identities.opened
        else { return _ = try caller.admitted() }
        if Message.isChange { _ = try contents(in: opened) }
        let acceptance = ChangeAcceptance(change, services.identities, list, services.enclave)
        try access.ask(
            PersonQuestion(
                caller: caller.identity, keychain: keychainSlot.name, subject: acceptance,
                proof: .admission(taking: acceptance)))
    }

    /// Releases the keychain, which may have to close before another can be opened in its place.
    mutating func leaveKeychain() { openedKeychain = nil }

    /// The caller; throws why it cannot be identified.
    mutating func identified() throws(KeychainError) -> Caller {
        let caller = try identify()
        knownCaller = caller
        return caller
    }

    var isOpen: Bool { openedKeychain != nil }

    /// The keychain, for a request that needs an open one.
    var opened: OpenedKeychain {
        get throws(KeychainError) {
            guard let openedKeychain else { throw Self.unprepared }
            return openedKeychain
        }
    }

    /// The opened keychain, for a request about items.
    var keychain: Keychain {
        get throws(KeychainError) {
            Keychain(
                opened: try opened, identities: services.identities, name: keychainSlot.name, changes: services.changes,
                deciders: services.deciders,
                certificates: CertificateItems(services, for: knownCaller, within: judgements))
        }
    }

    /// The caller, for a request that needs one.
    var caller: Caller {
        get throws(KeychainError) {
            guard let knownCaller else { throw Self.unprepared }
            return knownCaller
        }
    }

    private static var unprepared: KeychainError {
        KeychainError(.internalComponent, "a request was carried out without what it needs")
    }

    /// What the store remembers of a change: the caller and the number of the request.
    mutating func changeRequest(_ identifier: RequestIdentifier) throws(KeychainError) -> ChangeRequest {
        let opened = try opened
        return try opened.requests.request(of: caller.principal, identifier, digest: try contents(in: opened))
    }

    /// The record of a change that no client repeats.
    func privateChange() throws(KeychainError) -> ChangeRequest {
        try opened.requests.request(
            of: caller.principal, RequestIdentifier(),
            digest: opened.requests.contents(of: UnsafeRawBufferPointer(start: nil, count: 0)))
    }

    /// The digest of a change, which is made of its frame while there is one.
    private mutating func contents(in opened: OpenedKeychain) throws(KeychainError) -> [UInt8] {
        if let contents = access.contents, contents.store == opened.store.identifier { return contents.digest }
        guard let frame else {
            throw KeychainError(
                .notAvailable, "the item store was replaced by another while the call waited for a person; try again")
        }
        let digest = opened.requests.contents(of: frame)
        access.contents = (opened.store.identifier, digest)
        return digest
    }

    /// Waits for memory for a large answer, once for each request.
    ///
    /// The memory is held until ``release()``, or until certificates are judged.
    mutating func reserveLargeReply() throws(KeychainError) {
        guard try reply.take(for: slot) else { return }
        // Other requests wait for the memory that this one holds.
        channel.setPatience(seconds: SessionLimits.largeReplySeconds)
    }

    /// Gives back the reserved memory.
    mutating func release() { reply.release() }
}
