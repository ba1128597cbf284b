import ChatelaineIPC
import ChatelaineModel
import ItemStore
import StoreEngine

/// One request on its way: where it came from, and what was found to be there before it is carried out.
struct RequestContext {
    let services: Services
    let slot: ConnectionSlot
    let channel: FrameChannel
    /// The request as it came, lent; nil once it has waited for a person.
    private(set) var frame: UnsafeRawBufferPointer?
    /// What was decided about the request so far.
    var access: Authorisation
    /// Who asks, or why nobody knows.
    private let identify: () throws(KeychainError) -> Caller

    /// Who asks, as far as that was found out.
    private(set) var knownCaller: Caller?
    private var openedKeychain: OpenedKeychain?
    /// Why the keychain is not open, for a request that does without.
    private(set) var openingFailure: KeychainError?
    private let reply: LargeReplyShare
    /// What of certificates is judged for this request; after a wait for a person that begins anew.
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

    /// The keychain that is meant, where it is no file keychain.
    var keychainSlot: KeychainSlot { services.keychains.default }

    /// The same request for later: its frame is wiped by then.
    func withoutFrame() -> RequestContext {
        var copy = self
        copy.frame = nil
        copy.judgements = Self.judgements(for: slot, leaving: reply)
        return copy
    }

    /// Nobody waits for what a request holds while certificates are judged for it.
    private static func judgements(for slot: ConnectionSlot, leaving reply: LargeReplyShare)
        -> CertificateEvaluationQuota
    {
        CertificateEvaluationQuota(isAwaited: { !slot.isLeft }, aside: { reply.release() })
    }

    /// Finds out what a request of this kind needs; throws why it is not there.
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

    /// A person may let in a program that changed (`RequestHandler+ChangedPrograms.swift`).
    ///
    /// - Throws: why it is refused, and, where somebody can be asked, that a person has to be.
    private mutating func admit<Message: RequestMessage>(_ caller: Caller, to request: Message) throws(KeychainError) {
        guard request.mayAskPerson, services.inquiries.canAsk, let change = caller.change,
            let list = services.identities.opened
        else { return _ = try caller.admitted() }
        if Message.isChange { _ = try contents(in: opened) }
        let acceptance = ChangeAcceptance(change, services.identities, list, services.enclave)
        try access.ask(
            PersonQuestion(
                caller: caller.identity, keychain: keychainSlot.name, subject: .changedProgram(acceptance),
                proof: .admission(taking: acceptance)))
    }

    /// Lets go of the keychain, which may have to be closed before another can be opened in its place.
    mutating func leaveKeychain() { openedKeychain = nil }

    /// Who asks; throws why nobody knows.
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

    /// The same, for a request about items.
    var keychain: Keychain {
        get throws(KeychainError) {
            Keychain(
                opened: try opened, identities: services.identities, name: keychainSlot.name, changes: services.changes,
                deciders: services.deciders,
                certificates: CertificateItems(services, for: knownCaller, within: judgements))
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
    mutating func changeRequest(_ identifier: RequestIdentifier) throws(KeychainError) -> ChangeRequest {
        let opened = try opened
        return try opened.requests.request(of: caller.principal, identifier, digest: try contents(in: opened))
    }

    /// For a change that nobody puts again.
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

    /// Waits for memory for a large answer, which is held until ``release()`` or until certificates are judged; once for a request.
    mutating func reserveLargeReply() throws(KeychainError) {
        guard try reply.take(for: slot) else { return }
        // Others wait for what this one holds.
        channel.setPatience(seconds: SessionLimits.largeReplySeconds)
    }

    /// Gives back what was reserved.
    mutating func release() { reply.release() }
}
