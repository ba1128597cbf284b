import ChatelaineModel
import EnclaveProtocol
import ItemStore

/// What was decided about one request so far.
///
/// For nearly every request that is nothing, and costs nothing.
///
/// It remembers only answers that the key custodian does not (``PersonProof/Terms/isRemembered``). What a person has
/// proved is in the custodian's memory, and the custodian decides by that.
///
/// A person's answer counts for one operation of one principal on one version of one row, as asked for by one decider.
/// So a request that comes back from its wait is decided like a new one. Only what is unchanged is not asked again.
struct Authorisation {
    /// Questions that one request may lead to, before and after its rows changed.
    static let maximumQuestions = 16

    fileprivate struct Grant: Equatable {
        let decider: Int
        let operation: RowOperation
        let row: ItemIdentifier
        let version: UInt64
        /// The epoch of the keychain.
        ///
        /// Another state of the keychain has other versions.
        let epoch: Int
        let store: StoreIdentifier
        let principal: Principal
    }

    /// The question that has to be answered before the request can go on.
    struct Pending {
        let question: PersonQuestion
        /// What the answer allows; nil where the key custodian remembers that.
        fileprivate let grant: Grant?
    }

    private var grants: [Grant] = []
    private var answers = 0
    private var authentication: RequestAuthentication
    /// Set when an error with the cause `needsPerson` came out of ``authorise(_:_:for:in:)``.
    private(set) var pending: Pending?
    /// The keychain whose file the request needs first; set with an error of the cause `needsFile`.
    var neededFile: String?
    /// The keychain that a person was asked to make.
    ///
    /// A request that comes back from its wait finds the result here.
    var newKeychain: KeychainCreationProof?
    /// The change of the trust settings that a person was asked about, kept for the same reason as ``newKeychain``.
    var trustChange: TrustChange?
    /// The passphrase of a file that a person was asked for, kept for the same reason as ``newKeychain``.
    var passphrase: PassphraseProof?
    /// The digest of a change, under the keys of that store.
    ///
    /// The frame is gone when the request comes back from a wait.
    var contents: (store: StoreIdentifier, digest: [UInt8])?

    init(_ authentication: RequestAuthentication) { self.authentication = authentication }

    /// Has all deciders of a keychain look at a row; see ``RowAuthoriser``.
    ///
    /// - Parameters:
    ///   - ui: whether the caller lets a person be asked.
    ///   - prompt: the reason that the caller gives.
    /// - Throws: the error of a decider, and `errSecInteractionNotAllowed` where a person has to be asked first.
    mutating func authorise(
        _ row: RowAccess, _ operation: RowOperation, for caller: Caller, in keychain: Place, _ ui: AuthenticationUI,
        _ prompt: OperationPrompt? = nil
    ) throws(KeychainError) -> Bool {
        // By their indices, since a listing would copy each decider for each row.
        for index in keychain.deciders.indices {
            let (subject, proof): (any PersonSubject, PersonProof)
            switch try keychain.deciders[index].decide(
                operation, on: row, for: caller, in: keychain.opened, &authentication)
            {
            case .allowed: continue
            case .refused(let refusal):
                if ui == .skip { return false }
                throw refusal
            case .needsPerson(let text, let wanted):
                subject = ItemUse(operation, of: row.context.row, called: text)
                proof = wanted
            case .asks(let use, let wanted): (subject, proof) = (use, .keychainAccess(wanted))
            }
            let grant = Grant(
                decider: index, operation: operation, row: row.context.row, version: row.context.version,
                epoch: keychain.opened.epoch, store: row.context.store, principal: caller.principal)
            if proof.terms.isRemembered, grants.contains(grant) { continue }
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

    /// Has the request wait for such an answer; returns the error with which the attempt has to end.
    mutating func asking(_ question: PersonQuestion) -> KeychainError { asking(question, for: nil) }

    private mutating func asking(_ question: PersonQuestion, for grant: Grant?) -> KeychainError {
        guard answers < Self.maximumQuestions else {
            return KeychainError(
                cause: .request, status: .notAvailable,
                "a person would have to answer more than \(Self.maximumQuestions) questions for this call")
        }
        pending = Pending(question: question, grant: grant)
        return question.subject.unanswered
    }

    /// Notes that the person has allowed what was asked.
    mutating func grant() {
        if let grant = pending?.grant { grants.append(grant) }
        if pending != nil { answers += 1 }
        pending = nil
    }

    /// Has the request decided anew, since its question may be settled otherwise by now.
    mutating func reconsider() { pending = nil }

    /// Begins the context of the connection, which remembers authentications until the connection ends.
    @discardableResult
    mutating func beginContext() -> AuthenticationContext { authentication.begin() }

    /// Makes authentications from now on count for this request only.
    mutating func leaveConnection() { authentication.leaveConnection() }

    /// Notes that the program is about to give its connection a password, or to take it away.
    func notePassword(isPresent: Bool) { authentication.notePassword(isPresent: isPresent) }

    /// Whether the connection's context lets earlier matches count.
    var allowsReuse: Bool { authentication.allowsReuse }

    func noteReuse(_ isAllowed: Bool) { authentication.noteReuse(isAllowed) }

    /// The context of the request, and the caller's reference to it.
    mutating func context(
        of caller: Caller, in keychain: OpenedKeychain
    ) -> (AuthenticationContext, ContextReference) {
        (authentication.context(), authentication.reference(by: caller, in: keychain))
    }

    /// For whom, and for which operation, the key of a row with constraints is asked for.
    mutating func use(
        _ operation: AccessConstraints.Operation, by caller: Caller, in keychain: Place
    ) -> KeyUse { authentication.use(operation, by: caller, in: keychain.opened) }

    /// Has the key custodian asked again about a question that it answered with satisfied.
    ///
    /// Returns whether the request relied on that answer.
    mutating func forgetSatisfied() -> Bool { authentication.forgetSatisfied() }

    /// Ends the authorisation, since the request is done.
    mutating func end() { authentication.end() }

    /// The keychain of the rows, its state, and its deciders in order.
    struct Place {
        /// The given name; nil for a file keychain, which is called by its identifier.
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
