import ChatelaineModel
import EnclaveProtocol
import ItemStore

/// What was decided about one request so far: nothing, for nearly every one of them, which costs nothing.
///
/// Only an answer that nobody else remembers is remembered here (``PersonProof/isRemembered``). What a person has proved is in the key custodian's memory, and decided about by that.
/// A person's answer counts for one operation of one principal on one row in one version, as asked for by one decider. So a
/// request that comes back from its wait is decided about like a new one, and only what is still the same is not asked again.
struct Authorisation {
    /// Questions that one request may lead to, before and after its rows changed.
    static let maximumQuestions = 16

    fileprivate struct Grant: Equatable {
        let decider: Int
        let operation: RowOperation
        let row: ItemIdentifier
        let version: UInt64
        /// Of the keychain: another state has other versions.
        let epoch: Int
        let store: StoreIdentifier
        let principal: Principal
    }

    /// What has to be asked before the request can go on.
    struct Pending {
        let question: PersonQuestion
        /// What an answer allows that nobody else remembers; nil where the key custodian does.
        fileprivate let grant: Grant?
    }

    private var grants: [Grant] = []
    private var answers = 0
    private var authentication: RequestAuthentication
    /// Set when an error with the cause `needsPerson` came out of ``authorise(_:_:for:in:)``.
    private(set) var pending: Pending?
    /// The keychain whose file is needed first; set with an error of the cause `needsFile`.
    var neededFile: String?
    /// The keychain that a person was asked to make, so that a request that comes back finds what it has come to.
    var newKeychain: KeychainCreationProof?
    /// The change of what is trusted that a person was asked about, likewise.
    var trustChange: TrustChange?
    /// The passphrase of a file that a person was asked for, likewise.
    var passphrase: PassphraseProof?
    /// The digest of a change, under the keys of that store: its frame is gone when it comes back from a wait.
    var contents: (store: StoreIdentifier, digest: [UInt8])?

    init(_ authentication: RequestAuthentication) { self.authentication = authentication }

    /// Has all deciders of a keychain look at a row; see ``RowAuthoriser``.
    ///
    /// - Parameters:
    ///   - ui: whether the caller lets a person be asked.
    ///   - prompt: the reason that the caller gives.
    /// - Throws: what a decider does, and `errSecInteractionNotAllowed` where a person has to be asked first.
    mutating func authorise(
        _ row: RowAccess, _ operation: RowOperation, for caller: Caller, in keychain: Place, _ ui: AuthenticationUI,
        _ prompt: OperationPrompt? = nil
    ) throws(KeychainError) -> Bool {
        for (index, decider) in keychain.deciders.enumerated() {
            let (subject, proof): (PersonSubject, PersonProof)
            switch try decider.decide(operation, on: row, for: caller, in: keychain.opened, &authentication) {
            case .allowed: continue
            case .refused(let refusal):
                if ui == .skip { return false }
                throw refusal
            case .needsPerson(let text, let wanted):
                subject = .item(operation, row.context.row, row.context.itemClass, called: text)
                proof = wanted
            case .asks(let use, let wanted): (subject, proof) = (.keychainItem(use), .keychainAccess(wanted))
            }
            let grant = Grant(
                decider: index, operation: operation, row: row.context.row, version: row.context.version,
                epoch: keychain.opened.epoch, store: row.context.store, principal: caller.principal)
            if proof.isRemembered, grants.contains(grant) { continue }
            switch ui {
            case .skip: return false
            case .fail:
                throw KeychainError(.interactionNotAllowed, "a person has to allow this, and the call forbids to ask")
            case .allow: break
            }
            throw asking(
                PersonQuestion(
                    caller: caller.identity, keychain: keychain.name, subject: subject, proof: proof,
                    reason: prompt?.text),
                for: grant)
        }
        return true
    }

    /// Has the request wait for an answer that the key custodian remembers.
    ///
    /// - Throws: always.
    mutating func ask(_ question: PersonQuestion) throws(KeychainError) { throw asking(question) }

    /// The same; what the attempt has to end with.
    mutating func asking(_ question: PersonQuestion) -> KeychainError { asking(question, for: nil) }

    private mutating func asking(_ question: PersonQuestion, for grant: Grant?) -> KeychainError {
        guard answers < Self.maximumQuestions else {
            return KeychainError(
                cause: .request, status: .notAvailable,
                "a person would have to answer more than \(Self.maximumQuestions) questions for this call")
        }
        pending = Pending(question: question, grant: grant)
        return question.unanswered
    }

    /// The person has allowed what was asked.
    mutating func grant() {
        if let grant = pending?.grant { grants.append(grant) }
        if pending != nil { answers += 1 }
        pending = nil
    }

    /// Has what is shown on the connection remembered until its end.
    @discardableResult
    mutating func beginContext() -> AuthenticationContext { authentication.begin() }

    /// What is shown from now on counts for this request alone.
    mutating func leaveConnection() { authentication.leaveConnection() }

    /// The program is about to give its connection a password, or to take it away.
    func notePassword(isPresent: Bool) { authentication.notePassword(isPresent: isPresent) }

    /// Whether the connection's context lets earlier matches count.
    var allowsReuse: Bool { authentication.allowsReuse }

    func noteReuse(_ isAllowed: Bool) { authentication.noteReuse(isAllowed) }

    /// The context in which the request is, as that of whoever asks.
    mutating func context(
        of caller: Caller, in keychain: OpenedKeychain
    ) -> (AuthenticationContext, ContextReference) {
        (authentication.context(), authentication.reference(by: caller, in: keychain))
    }

    /// For whom the key of a row with constraints is asked for.
    mutating func use(
        _ operation: AccessConstraints.Operation, by caller: Caller, in keychain: Place
    ) -> KeyUse { authentication.use(operation, by: caller, in: keychain.opened) }

    /// Has the key custodian asked again about what it called satisfied before; returns whether the request relied on that.
    mutating func forgetSatisfied() -> Bool { authentication.forgetSatisfied() }

    /// The request is through.
    mutating func end() { authentication.end() }

    /// Which keychain rows are of, in which state, and who decides about them, in this order.
    struct Place {
        /// Nil of a file keychain, which is called by its identifier.
        private let given: KeychainName?
        let opened: OpenedKeychain
        let deciders: [any AccessDecider]

        init(name: KeychainName? = nil, opened: OpenedKeychain, deciders: [any AccessDecider]) {
            given = name
            self.opened = opened
            self.deciders = deciders
        }

        var name: KeychainName { given ?? KeychainName(of: opened.store.identifier) }
    }
}
